/** Reads scenario files and validates each, and all of them together. */
import type { Clock } from '../../environment/clock.ts';
import type { VpError } from '../../errors/vp-error.ts';
import { createDiagnostic, type Diagnostic } from '../../scenario/diagnostic.ts';
import { findIdRange } from '../../scenario/id-range.ts';
import type { ParseOptions } from '../../scenario/parse.ts';
import type { Progress } from '../../terminal/progress.ts';
import { type ParsedFile, parseFile } from '../scenarios/read-scenarios.ts';
import { readScenarioFiles } from '../scenarios/scenario-files.ts';

/** `unreadable` has an error for each file that could not be read. */
export type Validation = {
  readonly files: readonly ParsedFile[];
  readonly unreadable: readonly VpError[];
  readonly errors: number;
  readonly warnings: number;
};

/** `paths` are files and folders. */
export type ValidationPlan = {
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly placeholders: ParseOptions;
};

/** Number of files parsed before the event loop can display progress. */
const batchSize = 200;

/** Adds an error to each file whose ID an earlier file has. */
function reportDuplicateIds(files: readonly ParsedFile[]): ParsedFile[] {
  const known = new Map<string, string>();
  return files.map((parsed) => {
    const { scenario, file, diagnostics } = parsed;
    if (scenario === undefined) return parsed;
    const { id } = scenario;
    const earlierFile = known.get(id);
    if (earlierFile === undefined) {
      known.set(id, file);
      return parsed;
    }
    const duplicate = createDiagnostic('SCENARIO_ID_DOUBLED', findIdRange(scenario), { id, file: earlierFile });
    const all = [...diagnostics, duplicate].sort((a, b) => a.range.start.offset - b.range.start.offset);
    return { ...parsed, scenario: undefined, diagnostics: all };
  });
}

function count(files: readonly ParsedFile[], severity: Diagnostic['severity']): number {
  return files.flatMap(({ diagnostics }) => diagnostics).filter((diagnostic) => diagnostic.severity === severity)
    .length;
}

/** Validates everything once. A file that cannot be read does not prevent the validation of others. */
export async function validateScenarios(plan: ValidationPlan, progress: Progress, clock: Clock): Promise<Validation> {
  const unreadable: VpError[] = [];
  const texts = readScenarioFiles(plan.paths, plan.cwd, (error) => unreadable.push(error));
  const parsed: ParsedFile[] = [];
  for (const [index, file] of texts.entries()) {
    parsed.push(parseFile(file, plan.placeholders));
    if (index % batchSize !== batchSize - 1) continue;
    progress.update(`validated ${index + 1} of ${texts.length} scenarios`);
    await clock.sleep(0);
  }
  const files = reportDuplicateIds(parsed);
  return { files, unreadable, errors: count(files, 'error') + unreadable.length, warnings: count(files, 'warning') };
}
