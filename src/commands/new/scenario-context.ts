/** The flags of `vp new scenario`, what its parts share, and the name of the scenario. */
import type { Invocation } from '../../command-line/command.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import type { CurlImport } from '../../scenario/curl-import.ts';
import { listNames, nameScenario } from '../../scenario/scenario-draft.ts';
import { certificatesFlag, logFlag, productFolderFlag, scenarioFolderFlag, targetUrlFlag } from '../role-flags.ts';
import { findScenarioId, type ParsedFile } from '../scenarios/read-scenarios.ts';
import type { NewOutput } from './new-output.ts';
import { formatCommandLine, listLocalFlags } from './paste.ts';
import type { NewRequest } from './request-flag.ts';

export const scenarioFlags = {
  from: { type: 'string', placeholder: '<request>', describe: 'the request, such as "GET /items"' },
  curl: {
    type: 'string',
    placeholder: '<command>',
    describe: 'take the request from a curl command, or with `-` from one on standard input; nothing is sent',
  },
  name: { type: 'string', placeholder: '<name>', describe: 'name behind RT-<METHOD>- (default: from the path)' },
  tag: { type: 'strings', placeholder: '<tag>', describe: 'tag of the scenario (default: http)' },
  status: {
    type: 'number',
    placeholder: '<code>',
    integerRange: [100, 599],
    describe: 'the status that must come back, for a request that is not sent',
  },
  'base-url': targetUrlFlag,
  'product-dir': productFolderFlag,
  'test-dir': scenarioFolderFlag,
  log: {
    ...logFlag,
    describe: 'the log of the application, to check it too: a file, or unix:<socket> of a log reader',
  },
  ca: certificatesFlag,
  force: { type: 'boolean', default: false, describe: 'replace an existing file that differs' },
} as const;

export type ScenarioCall = Invocation<typeof scenarioFlags>;

export type ScenarioContext = {
  readonly call: ScenarioCall;
  readonly output: NewOutput;
  readonly request: NewRequest;
  /** What `--curl` was read as. */
  readonly imported?: CurlImport | undefined;
  readonly project: ProjectConfig;
  /** Where the file is written. */
  readonly folder: string;
  readonly files: readonly ParsedFile[];
};

/** `file` is an existing one, which is replaced. */
export type ChosenName = { readonly id: string; readonly name: string; readonly file: string | undefined };

/** Throws NEW_SCENARIO_EXISTS where the request, or the name, has a scenario already, unless `--force` replaces it. */
export function chooseName({ call, request, files }: ScenarioContext): ChosenName {
  const { method, path } = request;
  const fileOfId = new Map(
    files.flatMap((file) => {
      const id = findScenarioId(file);
      return id === undefined ? [] : [[id, file.file] as const];
    }),
  );
  const namedByFlag = readNameFlag(call, method);
  const samePath = files.find(
    ({ scenario }) => scenario?.trigger.method === method && formatPath(scenario.trigger.path) === path,
  );
  const existingFile = namedByFlag ? fileOfId.get(namedByFlag.id) : samePath?.file;
  const unused = namedByFlag ?? nameScenario(method, path, new Set(fileOfId.keys()));
  if (unused && existingFile === undefined) return { ...unused, file: undefined };
  if (call.flags.force) return nameReplacement(request, files, existingFile);
  const id = namedByFlag?.id ?? samePath?.scenario?.id ?? `RT-${method}-${listNames(path).at(-1)}`;
  const example = formatCommandLine(['vp', 'run', '--local', id, ...listLocalFlags(call.flags)]);
  const file = existingFile ?? fileOfId.get(id) ?? '';
  throw vpError('NEW_SCENARIO_EXISTS', { request: `${method} ${path}`, id, file, example });
}

/** Throws FLAG_INVALID. */
function readNameFlag({ flags: { name } }: ScenarioCall, method: string) {
  if (name === undefined) return undefined;
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/.test(name)) return { id: `RT-${method}-${name}`, name };
  const problem = 'must have letters, digits, `.`, `_` and `-` only, at most 60';
  throw vpError('FLAG_INVALID', { command: 'vp new scenario', flag: '--name', problem });
}

/** The name that the existing file has. */
function nameReplacement(
  { method, path }: NewRequest,
  files: readonly ParsedFile[],
  existingFile: string | undefined,
): ChosenName {
  const replaced = files.find(({ file }) => file === existingFile);
  const id = (replaced && findScenarioId(replaced)) ?? `RT-${method}-${listNames(path)[0]}`;
  return { id, name: id.slice(`RT-${method}-`.length), file: existingFile };
}

/** Without the parameter that carries the id of a run. */
function formatPath({ parts }: { readonly parts: readonly ({ text: string } | { placeholder: string })[] }): string {
  const path = parts.map((part) => ('text' in part ? part.text : `\${${part.placeholder}}`)).join('');
  return path.replace(/[?&]vp_run=\$\{correlation_id\}$/, '');
}
