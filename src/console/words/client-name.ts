/** What a browser calls itself, in the words of people: `Chrome on Linux`. Order matters: most claim to be others too. */
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

/** The name of a client by its User-Agent; an unknown one is told as it is. */
export function clientName(userAgent: string): string {
  const found = (names: readonly (readonly [RegExp, string])[]) => names.find(([form]) => form.test(userAgent))?.[1];
  const [browser, system] = [found(browsers), found(systems)];
  if (browser === undefined) return userAgent === '' ? 'an unknown client' : userAgent;
  return system === undefined ? browser : `${browser} on ${system}`;
}
