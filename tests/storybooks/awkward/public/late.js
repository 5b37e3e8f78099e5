window.lateScript("the script has run");
