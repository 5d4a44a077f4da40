import type { RunSession } from './session.ts';
import type { Selection } from './words.ts';
export async function runDirectly(_selection: Selection, _flags: object, _session: RunSession): Promise<void> {}
