/** Instance ids: lowercase letters, digits and hyphens, at most 22 characters, unique over the control plane (spec). */
import { instanceIdPattern, maxInstanceIdLength } from './schemas.ts';

const pattern = new RegExp(instanceIdPattern);

/** True when `text` may be an instance id. */
export function isInstanceId(text: string): boolean {
  return text.length <= maxInstanceIdLength && pattern.test(text);
}

/** The valid id nearest to a project's name; `app` if nothing of the name is valid. */
export function toInstanceId(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return plain.slice(0, maxInstanceIdLength).replaceAll(/^-+|-+$/g, '') || 'app';
}

/** `<id>-v<number>`, with the id shortened to stay within the limit. */
export function appendInstanceNumber(id: string, number: number): string {
  const suffix = `-v${number}`;
  return id.slice(0, maxInstanceIdLength - suffix.length).replace(/-+$/, '') + suffix;
}

/** The first of `<id>-v1`, `<id>-v2`, … that is free. */
export function proposeFreeInstanceId(id: string, isTaken: (id: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const proposal = appendInstanceNumber(id, number);
    if (!isTaken(proposal)) return proposal;
  }
}
