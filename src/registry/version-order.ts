/**
 * Which of two versions is the newer. Semantic versions (semver.org, also with a `v` in front) by their own order; one of
 * them stands above a version of another form; otherwise the one that was published later is the newer.
 */

/** A version with the moment at which it was published, in milliseconds since 1970. */
export type Ordered = { readonly version: string; readonly published_at_ms: number; readonly id: number };

type Semantic = { readonly numbers: readonly number[]; readonly before: readonly string[] };

const form = /^v?(\d{1,15})\.(\d{1,15})\.(\d{1,15})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

function semanticOf(version: string): Semantic | undefined {
  const found = form.exec(version);
  if (!found) return undefined;
  const [, major, minor, patch, before] = found;
  return { numbers: [major, minor, patch].map(Number), before: before?.split('.') ?? [] };
}

function sign(difference: number): number {
  return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

/** Numbers stand below words, and among themselves by their size. */
function compareParts(left: string, right: string): number {
  const [isLeft, isRight] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (isLeft && isRight) return sign(Number(left) - Number(right));
  if (isLeft !== isRight) return isLeft ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareSemantic(left: Semantic, right: Semantic): number {
  for (const [at, number] of left.numbers.entries()) {
    const order = sign(number - (right.numbers[at] ?? 0));
    if (order !== 0) return order;
  }
  // Without a word in front of the release it is the release.
  if (left.before.length === 0 || right.before.length === 0) return sign(right.before.length - left.before.length);
  for (const [at, part] of left.before.entries()) {
    const other = right.before[at];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return sign(left.before.length - right.before.length);
}

/** Above zero when `left` is the newer. */
export function compareVersions(left: Ordered, right: Ordered): number {
  const [first, second] = [semanticOf(left.version), semanticOf(right.version)];
  const later = sign(left.published_at_ms - right.published_at_ms) || sign(left.id - right.id);
  if (first && second) return compareSemantic(first, second) || later;
  if (first || second) return first ? 1 : -1;
  return later;
}

/** The newest; undefined of none. */
export function newest<V extends Ordered>(versions: readonly V[]): V | undefined {
  return versions.reduce<V | undefined>(
    (best, one) => (best && compareVersions(best, one) > 0 ? best : one),
    undefined,
  );
}
