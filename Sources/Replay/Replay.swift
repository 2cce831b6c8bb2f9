// The module begins here.
