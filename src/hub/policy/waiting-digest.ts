import { vpError } from '../../errors/vp-error.ts';
import type { DefinitionPinRow } from '../../store/control/hubs/definition-pins.ts';

/** Throws TOOL_PIN_APPROVED, TOOL_PIN_TOO_LARGE, TOOL_PIN_CHANGED. */
export function assertWaitingDigest({ name, waiting, waiting_digest }: DefinitionPinRow, digest: string): void {
  const tool = name.slice(0, 300);
  if (waiting === null) throw vpError('TOOL_PIN_APPROVED', { tool });
  if (waiting_digest === null) throw vpError('TOOL_PIN_TOO_LARGE', { tool });
  if (waiting_digest !== digest) throw vpError('TOOL_PIN_CHANGED', { tool });
}
