/**
 * Import this before oidc-provider when a test uses it as an outside provider: its in-memory adapter is intended there,
 * so the warnings about it, and about a newer runtime, are suppressed. Other warnings are printed.
 */
const expectedWarning =
  /^oidc-provider WARNING: (Unsupported runtime\b|a quick start development-only in-memory adapter\b)/;
const { warn } = console;

console.warn = (...args: readonly unknown[]): void => {
  if (!expectedWarning.test(String(args[0]))) warn(...args);
};
