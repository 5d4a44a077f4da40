/** Instance ids, and which one an onboarding gets. */
import { vpError } from '../errors/vp-error.ts';

const maxLength = 22;

/** Lowercase letters, digits and hyphens, at most 22 characters. */
export function isValidInstanceId(text: string): boolean {
  return text.length <= maxLength && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(text);
}

/** The valid id nearest to a project's name; `app` if nothing of the name is valid. */
export function toInstanceId(project: string): string {
  const normalized = project.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return normalized.slice(0, maxLength).replaceAll(/^-+|-+$/g, '') || 'app';
}

/** `<id>-v<number>`, with the id shortened to stay within 22 characters. */
export function appendInstanceNumber(id: string, number: number): string {
  const suffix = `-v${number}`;
  return id.slice(0, maxLength - suffix.length).replace(/-+$/, '') + suffix;
}

/** `own`: an instance of this machine; `taken`: of another one. */
export type InstanceIdStatus = 'free' | 'own' | 'taken';

/**
 * The requested id if it is free or this machine's own, else the first such id with `-v1`, `-v2`, … Throws INSTANCE_ID_INVALID.
 */
export async function selectInstanceId(
  requestedId: string,
  getStatus: (id: string) => Promise<InstanceIdStatus>,
): Promise<string> {
  if (!isValidInstanceId(requestedId)) throw vpError('INSTANCE_ID_INVALID', { instance: requestedId });
  for (let number = 0; ; number += 1) {
    const id = number === 0 ? requestedId : appendInstanceNumber(requestedId, number);
    if ((await getStatus(id)) !== 'taken') return id;
  }
}
