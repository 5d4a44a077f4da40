/** Parses scenario files, and reports those that cannot be used with all their errors. */
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { type ParseOptions, parseScenario } from '../../scenario/parse.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { ScenarioFile } from './scenario-files.ts';

/** `scenario` is undefined if a diagnostic is an error. */
export type ParsedFile = ScenarioFile & {
  readonly scenario: Scenario | undefined;
  readonly diagnostics: readonly Diagnostic[];
};
export type UsableFile = ParsedFile & { readonly scenario: Scenario };

export function parseFile(file: ScenarioFile, placeholders: ParseOptions): ParsedFile {
  const diagnostics: Diagnostic[] = [];
  const scenario = parseScenario(file.text, placeholders, (diagnostic) => diagnostics.push(diagnostic));
  return { ...file, scenario, diagnostics };
}

/** The ID of the scenario; read from the ID line if the file has errors. */
export function findScenarioId({ scenario, text }: ParsedFile): string | undefined {
  return scenario?.id ?? /^\s*[-*+]\W+ID\W+([\w.-]+)/im.exec(text)?.[1];
}

function isUsable(file: ParsedFile): file is UsableFile {
  return file.scenario !== undefined;
}

/**
 * Prints all diagnostics. Returns the files if all can be used and no two have the same ID; else throws
 * SCENARIO_FILES_INVALID or SCENARIO_ID_DOUBLED.
 */
export async function requireUsableFiles(
  files: readonly ParsedFile[],
  json: boolean,
  environment: Pick<Environment, 'streams' | 'variables'>,
): Promise<UsableFile[]> {
  const unusable = files.filter((file) => !isUsable(file));
  if (!json) await printDiagnostics(files, environment);
  if (unusable.length > 0) {
    const count = unusable.length === 1 ? '1 scenario' : `${unusable.length} scenarios`;
    throw vpError(
      'SCENARIO_FILES_INVALID',
      { count },
      { diagnostics: json ? unusable.flatMap(toJsonDiagnostics) : [] },
    );
  }
  const usable = files.filter(isUsable);
  assertUniqueIds(usable);
  return usable;
}

async function printDiagnostics(
  files: readonly ParsedFile[],
  { streams, variables }: Pick<Environment, 'streams' | 'variables'>,
): Promise<void> {
  const filesWithDiagnostics = files.filter(({ diagnostics }) => diagnostics.length > 0);
  if (filesWithDiagnostics.length === 0) return;
  const { renderDiagnostics: diagnosticsText } = await import('../../terminal/diagnostics.ts');
  const { paintFor } = await import('../../terminal/paint.ts');
  const paint = paintFor(streams.stderr, variables);
  for (const file of filesWithDiagnostics) streams.stderr.write(`${diagnosticsText(file.diagnostics, file, paint)}\n`);
}

function toJsonDiagnostics({ file, diagnostics }: ParsedFile): object[] {
  return diagnostics.map(({ code, severity, message, cure, range }) => {
    const { line, column } = range.start;
    return { file, line, column, severity, code, message, cure };
  });
}

function assertUniqueIds(files: readonly UsableFile[]): void {
  const known = new Map<string, string>();
  for (const { file, scenario } of files) {
    const earlierFile = known.get(scenario.id);
    if (earlierFile !== undefined)
      throw vpError('SCENARIO_ID_DOUBLED', { id: scenario.id, file: earlierFile }, { location: { file } });
    known.set(scenario.id, file);
  }
}
