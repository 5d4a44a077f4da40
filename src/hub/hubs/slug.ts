import { vpError } from '../../errors/vp-error.ts';

/** Words that appear, or may appear, in the place of slugs, or that could pass for the service itself. */
const reservedSlugs: ReadonlySet<string> = new Set(
  `account admin administrator agent agents api assets auth authorize callback connections console dashboard default device
   hub hubs interaction invitation login logout mcp me members memory metadata metrics new oauth owner policies policy
   register registry root session settings setup sign-in sign-out single-sign-on token tokens v0 v1 vp well-known www`.split(
    /\s+/,
  ),
);

function findSlugProblem(slug: string): string | undefined {
  if (slug.length < 2) return 'is too short';
  if (slug.length > 40) return 'is too long';
  if (!/^[a-z0-9-]+$/.test(slug)) return 'has characters other than lowercase letters, digits and hyphens';
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug)) return 'starts or ends with a hyphen, or has two in a row';
  return reservedSlugs.has(slug) ? 'is reserved' : undefined;
}

/** Throws HUB_SLUG_INVALID. */
export function assertHubSlug(slug: string): void {
  const problem = findSlugProblem(slug);
  if (problem !== undefined) throw vpError('HUB_SLUG_INVALID', { slug: slug.slice(0, 60), problem });
}
