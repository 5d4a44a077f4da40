/** The order matters: most browsers also claim to be others. */
const browsers = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const systems = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

/** Returns for example `Chrome on Linux` for a User-Agent. An unknown User-Agent is returned unchanged. */
export function describeUserAgent(userAgent: string): string {
  const findName = (patterns: readonly (readonly [RegExp, string])[]) =>
    patterns.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [findName(browsers), findName(systems)];
  if (browser === undefined) return userAgent === '' ? 'an unknown client' : userAgent;
  return system === undefined ? browser : `${browser} on ${system}`;
}
