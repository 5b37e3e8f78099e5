"""Background jobs, one module each; workers load every module of the package."""

from pkgutil import walk_packages

MODULES = [module.name for module in walk_packages(__path__, f"{__name__}.") if not module.ispkg]
