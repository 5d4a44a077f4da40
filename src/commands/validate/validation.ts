/** Reads scenario files and says what is wrong with each, and with all of them together. */
import type { Clock } from '../../environment/clock.ts';
import type { VpError } from '../../errors/vp-error.ts';
import { type Diagnostic, diagnosticOf } from '../../scenario/diagnostic.ts';
import { idRange } from '../../scenario/id-range.ts';
import type { ParseOptions } from '../../scenario/parse.ts';
import type { Progress } from '../../terminal/progress.ts';
import { type ParsedFile, parseFile } from '../read-scenarios.ts';
import { readScenarioFiles } from '../scenario-files.ts';

/** The files in their order, those that are no text as errors, and how many of what there is. */
export type Validation = {
  readonly files: readonly ParsedFile[];
  readonly unread: readonly VpError[];
  readonly errors: number;
  readonly warnings: number;
};

/** What a validation needs; `paths` are files and folders. */
export type ValidationPlan = {
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly placeholders: ParseOptions;
};

/** Files parsed before progress may be shown. */
const atOnce = 200;

/** Tells each file after the first whose ID an earlier one has. */
function withDoubledIds(files: readonly ParsedFile[]): ParsedFile[] {
  const known = new Map<string, string>();
  return files.map((parsed) => {
    const { scenario, file, diagnostics } = parsed;
    if (scenario === undefined) return parsed;
    const { id } = scenario;
    const other = known.get(id);
    if (other === undefined) {
      known.set(id, file);
      return parsed;
    }
    const doubled = diagnosticOf('SCENARIO_ID_DOUBLED', idRange(scenario), { id, file: other });
    const all = [...diagnostics, doubled].sort((one, another) => one.range.start.offset - another.range.start.offset);
    return { ...parsed, scenario: undefined, diagnostics: all };
  });
}

function count(files: readonly ParsedFile[], severity: Diagnostic['severity']): number {
  return files.flatMap(({ diagnostics }) => diagnostics).filter((each) => each.severity === severity).length;
}

/** Validates everything once. A file that cannot be read keeps no other from being validated. */
export async function validate(plan: ValidationPlan, progress: Progress, clock: Clock): Promise<Validation> {
  const unread: VpError[] = [];
  const texts = readScenarioFiles(plan.paths, plan.cwd, (error) => unread.push(error));
  const parsed: ParsedFile[] = [];
  for (const [index, file] of texts.entries()) {
    parsed.push(parseFile(file, plan.placeholders));
    if (index % atOnce !== atOnce - 1) continue;
    progress.tell(`validated ${index + 1} of ${texts.length} scenarios`);
    await clock.sleep(0);
  }
  const files = withDoubledIds(parsed);
  return { files, unread, errors: count(files, 'error') + unread.length, warnings: count(files, 'warning') };
}
