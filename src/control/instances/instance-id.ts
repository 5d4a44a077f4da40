/** Instance ids: lowercase letters, digits and hyphens, at most 22 characters, unique over the control plane (spec). */

const maxLength = 22;

/** True when `text` may be an instance id. */
export function isInstanceId(text: string): boolean {
  return text.length <= maxLength && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(text);
}

function withSuffix(stem: string, suffix: string): string {
  return stem.slice(0, maxLength - suffix.length).replace(/-+$/, '') + suffix;
}

/** The first of `<id>-v1`, `<id>-v2`, … that is free; the stem is shortened to stay within 22 characters. */
export function proposeFreeInstanceId(id: string, isTaken: (id: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const proposal = withSuffix(id, `-v${number}`);
    if (!isTaken(proposal)) return proposal;
  }
}

/** Converts a project's name to an instance id; `app` when no character of it is allowed. */
export function toInstanceId(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return plain.slice(0, maxLength).replaceAll(/^-+|-+$/g, '') || 'app';
}
