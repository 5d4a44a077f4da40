/**
 * Order of versions. Semantic versions (semver.org, also with a leading `v`) are compared by their own rules and are newer
 * than versions of any other form; otherwise the version that was published later is newer.
 */

export type PublishedVersion = { readonly version: string; readonly published_at_ms: number; readonly id: number };

type SemanticVersion = { readonly numbers: readonly number[]; readonly prerelease: readonly string[] };

const semanticPattern = /^v?(\d{1,15})\.(\d{1,15})\.(\d{1,15})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

function parseSemantic(version: string): SemanticVersion | undefined {
  const match = semanticPattern.exec(version);
  if (!match) return undefined;
  const [, major, minor, patch, prerelease] = match;
  return { numbers: [major, minor, patch].map(Number), prerelease: prerelease?.split('.') ?? [] };
}

function sign(difference: number): number {
  return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

/** Numeric identifiers are lower than alphanumeric ones, and are compared as numbers. */
function compareParts(left: string, right: string): number {
  const [isLeft, isRight] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (isLeft && isRight) return sign(Number(left) - Number(right));
  if (isLeft !== isRight) return isLeft ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareSemantic(left: SemanticVersion, right: SemanticVersion): number {
  for (const [index, number] of left.numbers.entries()) {
    const order = sign(number - (right.numbers[index] ?? 0));
    if (order !== 0) return order;
  }
  // A release is higher than its prereleases.
  if (left.prerelease.length === 0 || right.prerelease.length === 0)
    return sign(right.prerelease.length - left.prerelease.length);
  for (const [index, part] of left.prerelease.entries()) {
    const other = right.prerelease[index];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return sign(left.prerelease.length - right.prerelease.length);
}

/** Positive when `left` is newer. */
export function compareVersions(left: PublishedVersion, right: PublishedVersion): number {
  const [first, second] = [parseSemantic(left.version), parseSemantic(right.version)];
  const later = sign(left.published_at_ms - right.published_at_ms) || sign(left.id - right.id);
  if (first && second) return compareSemantic(first, second) || later;
  if (first || second) return first ? 1 : -1;
  return later;
}

export function findNewestVersion<V extends PublishedVersion>(versions: readonly V[]): V | undefined {
  return versions.reduce<V | undefined>(
    (best, candidate) => (best && compareVersions(best, candidate) > 0 ? best : candidate),
    undefined,
  );
}
