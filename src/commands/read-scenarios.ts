/** Scenario files parsed, and those that cannot be used told with all that is wrong. */
import type { Environment } from '../environment/environment.ts';
import { vpError } from '../errors/vp-error.ts';
import type { Diagnostic } from '../scenario/diagnostic.ts';
import { type ParseOptions, parseScenario } from '../scenario/parse.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { ScenarioFile } from './scenario-files.ts';

/** A file with what the parser made of it: `scenario` is undefined where a diagnostic is an error. */
export type ParsedFile = ScenarioFile & {
  readonly scenario: Scenario | undefined;
  readonly diagnostics: readonly Diagnostic[];
};
/** A file that can be used. */
export type UsableFile = ParsedFile & { readonly scenario: Scenario };

/** Parses one file. */
export function parseFile(file: ScenarioFile, placeholders: ParseOptions): ParsedFile {
  const diagnostics: Diagnostic[] = [];
  const scenario = parseScenario(file.text, placeholders, (diagnostic) => diagnostics.push(diagnostic));
  return { ...file, scenario, diagnostics };
}

/** The ID; a file with mistakes still says which scenario it is meant to be. */
export function idOf({ scenario, text }: ParsedFile): string | undefined {
  return scenario?.id ?? /^\s*[-*+]\W+ID\W+([\w.-]+)/im.exec(text)?.[1];
}

function isUsable(file: ParsedFile): file is UsableFile {
  return file.scenario !== undefined;
}

/**
 * The files when all can be used and no two have the same ID. Tells warnings, and what is wrong with the others; throws
 * SCENARIO_FILES_INVALID or SCENARIO_ID_DOUBLED then.
 */
export async function usableFiles(
  files: readonly ParsedFile[],
  json: boolean,
  environment: Pick<Environment, 'streams' | 'variables'>,
): Promise<UsableFile[]> {
  const refused = files.filter((file) => !isUsable(file));
  if (!json) await tellDiagnostics(files, environment);
  if (refused.length > 0) {
    const count = refused.length === 1 ? '1 scenario' : `${refused.length} scenarios`;
    throw vpError('SCENARIO_FILES_INVALID', { count }, { diagnostics: json ? refused.flatMap(listed) : [] });
  }
  const usable = files.filter(isUsable);
  refuseDoubledIds(usable);
  return usable;
}

async function tellDiagnostics(
  files: readonly ParsedFile[],
  { streams, variables }: Pick<Environment, 'streams' | 'variables'>,
): Promise<void> {
  const told = files.filter(({ diagnostics }) => diagnostics.length > 0);
  if (told.length === 0) return;
  const { diagnosticsText } = await import('../terminal/diagnostics.ts');
  const { paintFor } = await import('../terminal/paint.ts');
  const paint = paintFor(streams.stderr, variables);
  for (const file of told) streams.stderr.write(`${diagnosticsText(file.diagnostics, file, paint)}\n`);
}

function listed({ file, diagnostics }: ParsedFile): object[] {
  return diagnostics.map(({ code, severity, message, cure, range }) => {
    const { line, column } = range.start;
    return { file, line, column, severity, code, message, cure };
  });
}

function refuseDoubledIds(files: readonly UsableFile[]): void {
  const known = new Map<string, string>();
  for (const { file, scenario } of files) {
    const other = known.get(scenario.id);
    if (other !== undefined)
      throw vpError('SCENARIO_ID_DOUBLED', { id: scenario.id, file: other }, { place: { file } });
    known.set(scenario.id, file);
  }
}
