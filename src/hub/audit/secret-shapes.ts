/** Texts that look like secrets, whatever they stand in. Every shape is linear: no part of it can match in two ways. */

const shapes: readonly RegExp[] = [
  /\b(?:Bearer|Basic|Token) +[A-Za-z0-9._~+/=-]{8,}/gi,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /\bvp[a-z]{1,2}_[A-Za-z0-9_-]{20,}/g,
  /\b(?:gh[opsur]|github_pat|glpat|xox[abeprs]|sk|pk|rk|npm|pypi|hf|dop_v1|shpat|SG)[-_.][A-Za-z0-9_.-]{16,}/g,
  /\b(?:AKIA|ASIA|AIza|ya29\.)[A-Za-z0-9_-]{12,}/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=\s]*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
];

/** `user:password@` of a URL. */
const userInfo = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@:]{0,200}:[^\s/@]{1,200}@/gi;
/** `password=…`, `"api_key": "…"` within a text. */
const named =
  /\b((?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret)["']?\s{0,3}[:=]\s{0,3}["']?)[^\s"'&,;]{3,}/gi;

/** What stands where a secret stood. */
export const hidden = '[hidden]';

/** The text without what looks like a secret. */
export function withoutSecrets(text: string): string {
  if (text.length < 8) return text;
  let rest = text;
  for (const shape of shapes) rest = rest.replace(shape, hidden);
  return rest.replace(userInfo, `$1${hidden}@`).replace(named, `$1${hidden}`);
}
