/** Instance ids: which one an onboarding gets. */
import { vpError } from '../errors/vp-error.ts';

const maxLength = 22;

/** True when `text` may be an instance id: lowercase letters, digits and hyphens, at most 22 characters. */
export function isInstanceName(text: string): boolean {
  return text.length <= maxLength && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(text);
}

/** The nearest id to a project's name; `app` when nothing of it can stand. */
export function nameFrom(project: string): string {
  const plain = project.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return plain.slice(0, maxLength).replaceAll(/^-+|-+$/g, '') || 'app';
}

/** `<id>-v<number>`, its stem shortened to stay within 22 characters. */
export function proposal(id: string, number: number): string {
  const suffix = `-v${number}`;
  return id.slice(0, maxLength - suffix.length).replace(/-+$/, '') + suffix;
}

/** What is known of an id: free, this machine's own, or somebody else's. */
export type Standing = 'free' | 'own' | 'taken';

/**
 * The id itself when it is free or this machine's own, else the first such of `-v1`, `-v2`, …. Throws INSTANCE_ID_INVALID.
 */
export async function chosenName(asked: string, standing: (id: string) => Promise<Standing>): Promise<string> {
  if (!isInstanceName(asked)) throw vpError('INSTANCE_ID_INVALID', { instance: asked });
  for (let number = 0; ; number += 1) {
    const id = number === 0 ? asked : proposal(asked, number);
    if ((await standing(id)) !== 'taken') return id;
  }
}
