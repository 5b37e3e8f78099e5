self.words = "a worker of its own file";
