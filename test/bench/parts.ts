/** The parts of the bench, in the order of the table. Adding one is its file and one line here. */
import { audit } from './audit.ts';
import type { BenchContext } from './bench-context.ts';
import { cases } from './cases.ts';
import { consoleRows } from './console.ts';
import { consolePages } from './console-pages.ts';
import { documents } from './documents.ts';
import { firstVerdict } from './first-verdict.ts';
import { hub } from './hub.ts';
import { intents } from './hub-intents.ts';
import { hubLimits } from './hub-limits.ts';
import { relay } from './hub-relay.ts';
import { rules } from './hub-rules.ts';
import { largeBodies } from './large-body.ts';
import { logs } from './logs.ts';
import { postgres } from './postgres.ts';
import { queue } from './queue.ts';
import { repeat } from './repeat.ts';
import { router } from './router.ts';
import type { Row } from './row.ts';
import { runLocal } from './run-local.ts';
import { sideBySide } from './side-by-side.ts';
import { start } from './start.ts';
import { storedRuns } from './stored-runs.ts';
import { tools } from './tools.ts';
import { validate } from './validate.ts';

/** A part measures and gives rows. Throws when it could not measure. */
export type Part = (context: BenchContext) => Promise<readonly Row[]>;

/** What came of a part; `failure` says why it could not measure. */
export type PartResult = { readonly part: string; readonly rows: readonly Row[]; readonly failure?: string };

/** Name for `--only` → part. */
export const parts: Readonly<Record<string, Part>> = {
  start,
  'run-local': runLocal,
  'first-verdict': firstVerdict,
  repeat,
  cases,
  queue,
  'side-by-side': sideBySide,
  validate,
  'large-body': largeBodies,
  documents,
  'stored-runs': storedRuns,
  logs,
  router,
  hub,
  relay,
  'hub-limits': hubLimits,
  intents,
  rules,
  audit,
  postgres,
  tools,
  console: consoleRows,
  'console-pages': consolePages,
};

/** Measures one part. Never rejects. */
export async function measurePart(part: string, measure: Part, context: BenchContext): Promise<PartResult> {
  try {
    return { part, rows: await measure(context) };
  } catch (error) {
    return { part, rows: [], failure: error instanceof Error ? error.message : String(error) };
  }
}
