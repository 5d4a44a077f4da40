import type { StatusPage } from '../../contract/status-pages-api.ts';

/** `branch main, tags smoke, http`. */
export function describeSelection({ tags, suite, branch }: StatusPage): string {
  const parts = [
    ...(suite === null ? [] : [`suite ${suite}`]),
    ...(branch === null ? [] : [`branch ${branch}`]),
    ...(tags.length === 0 ? [] : [`${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`]),
  ];
  return parts.join(', ') || 'every scenario';
}

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

export function formatEnd(until: string): string {
  return dateFormat.format(Date.parse(until));
}

/** `smoke, http` → two tags. */
export function splitTags(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
}
