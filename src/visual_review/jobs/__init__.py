"""Background jobs, one module each; workers load every module of this package."""

from pkgutil import iter_modules

MODULES = [f"{__name__}.{module.name}" for module in iter_modules(__path__)]
