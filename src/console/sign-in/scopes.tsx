/** What is asked for, in words where there are some. */
const words: Readonly<Record<string, string>> = {
  api: 'do on this control plane what your role allows',
  openid: 'know who you are',
  offline_access: 'stay signed in until you end it',
  profile: 'see your name',
  email: 'see your email address',
};

/** What a scope allows. */
export function scopeWords(scope: string): string {
  return words[scope] ?? scope;
}

/** A list of permissions. */
export function Scopes({ scopes }: { scopes: readonly string[] }) {
  if (scopes.length === 0) return null;
  return (
    <ul className="scopes">
      {scopes.map((scope) => (
        <li key={scope}>{scopeWords(scope)}</li>
      ))}
    </ul>
  );
}
