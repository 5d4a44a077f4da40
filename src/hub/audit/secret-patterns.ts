/** Patterns of secrets in any text. Every pattern is linear: no part can match in two ways. */

const secretPatterns: readonly RegExp[] = [
  /\b(?:Bearer|Basic|Token) +[A-Za-z0-9._~+/=-]{8,}/gi,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /\bvp[a-z]{1,2}_[A-Za-z0-9_-]{20,}/g,
  /\b(?:gh[opsur]|github_pat|glpat|xox[abeprs]|sk|pk|rk|npm|pypi|hf|dop_v1|shpat|SG)[-_.][A-Za-z0-9_.-]{16,}/g,
  /\b(?:AKIA|ASIA|AIza|ya29\.)[A-Za-z0-9_-]{12,}/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=\s]*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
];

/** `user:password@` in a URL. */
const userInfoPattern = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@:]{0,200}:[^\s/@]{1,200}@/gi;
/** `password=…`, `"api_key": "…"` in a text. */
const namedSecretPattern =
  /\b((?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret)["']?\s{0,3}[:=]\s{0,3}["']?)[^\s"'&,;]{3,}/gi;

/** Replaces a secret. */
export const hiddenSecretMark = '[hidden]';

export function redactSecrets(text: string): string {
  if (text.length < 8) return text;
  let redacted = text;
  for (const pattern of secretPatterns) redacted = redacted.replace(pattern, hiddenSecretMark);
  return redacted
    .replace(userInfoPattern, `$1${hiddenSecretMark}@`)
    .replace(namedSecretPattern, `$1${hiddenSecretMark}`);
}
