/** Images: whether they are here, and bringing them here. */
import { type VpError, vpError } from '../errors/vp-error.ts';
import type { Engine } from './engine.ts';
import { reasonOf } from './engine.ts';

const pullMs = 15 * 60_000;

/** True when the image needs no pull. */
export async function hasImage(engine: Engine, image: string): Promise<boolean> {
  return (await engine.attempt(['image', 'inspect', '--format', '{{.Id}}', image])).exitCode === 0;
}

/** Pulls; `onLine` is told the engine's progress. Throws IMAGE_FORBIDDEN, IMAGE_UNKNOWN, IMAGE_UNREACHABLE. */
export async function pullImage(
  engine: Engine,
  image: string,
  options: { readonly onLine?: (line: string) => void; readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const end = await engine.attempt(['pull', '--quiet', image], { timeoutMs: pullMs, ...options });
  if (end.exitCode !== 0) throw pullProblem(engine, image, reasonOf(end));
}

/** What the engine said, in our words. Registries hide what an account may not read behind `not found` or `denied`. */
function pullProblem({ facts: { program } }: Engine, image: string, reason: string): VpError {
  if (/\b403\b|forbidden|denied|unauthorized|authentication required|no basic auth|\b401\b/i.test(reason)) {
    return vpError('IMAGE_FORBIDDEN', { image, program, registry: registryOf(image) });
  }
  if (/not found|manifest unknown|no such image|\b404\b/i.test(reason)) return vpError('IMAGE_UNKNOWN', { image });
  return vpError('IMAGE_UNREACHABLE', { image, program, reason });
}

/** The registry's host; empty for the engine's own default, which `login` takes without a name. */
export function registryOf(image: string): string {
  const [first = '', ...rest] = image.split('/');
  return rest.length > 0 && /[.:]|^localhost$/.test(first) ? first : '';
}

/** The tag of an image reference; `latest` where it has none, undefined where a digest stands for it. */
export function tagOf(image: string): string | undefined {
  if (image.includes('@')) return undefined;
  return /:([^:/]+)$/.exec(image)?.[1] ?? 'latest';
}
