/** Images: whether they are present, and pulling them. */
import { type VpError, vpError } from '../errors/vp-error.ts';
import type { ContainerEngine } from './engine.ts';
import { describeEngineFailure } from './engine.ts';

const pullTimeoutMs = 15 * 60_000;

export async function hasImage(engine: ContainerEngine, image: string): Promise<boolean> {
  return (await engine.run(['image', 'inspect', '--format', '{{.Id}}', image])).exitCode === 0;
}

/**
 * Throws IMAGE_FORBIDDEN, IMAGE_UNKNOWN, IMAGE_UNREACHABLE; IMAGE_ABSENT for a name without a registry: the engine would ask a
 * public one, where anybody may have taken that name.
 */
export async function pullImage(
  engine: ContainerEngine,
  image: string,
  options: { readonly onLine?: (line: string) => void; readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  if (!image.includes('/')) throw vpError('IMAGE_ABSENT', { image, program: engine.info.program });
  const result = await engine.run(['pull', '--quiet', image], { timeoutMs: pullTimeoutMs, ...options });
  if (result.exitCode !== 0) throw toPullError(engine, image, describeEngineFailure(result));
}

/** Registries answer `not found` or `denied` for images that the account may not read. */
function toPullError({ info: { program } }: ContainerEngine, image: string, reason: string): VpError {
  if (/\b403\b|forbidden|denied|unauthorized|authentication required|no basic auth|\b401\b/i.test(reason)) {
    return vpError('IMAGE_FORBIDDEN', { image, program, registry: parseRegistry(image) });
  }
  if (/not found|manifest unknown|no such image|\b404\b/i.test(reason)) return vpError('IMAGE_UNKNOWN', { image });
  return vpError('IMAGE_UNREACHABLE', { image, program, reason });
}

/** Host of the registry; empty for the engine's default registry. */
export function parseRegistry(image: string): string {
  const [first = '', ...rest] = image.split('/');
  return rest.length > 0 && /[.:]|^localhost$/.test(first) ? first : '';
}

/** The tag of an image reference; `latest` if it has none, undefined for a digest. */
export function parseImageTag(image: string): string | undefined {
  if (image.includes('@')) return undefined;
  return /:([^:/]+)$/.exec(image)?.[1] ?? 'latest';
}
