// Under node a program sees the environment it was started in; a page has none but what it sets itself.
Module['preRun'] = [].concat(Module['preRun'] || [], () => Object.assign(ENV, process.env));
