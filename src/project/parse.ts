import { type Draft, draftOf, type ProjectUse } from './draft.ts';
import { parseEnvFile } from './env-file.ts';
import { ledgerOf } from './ledger.ts';
import { maskedLines } from './mask.ts';
import { type ConfigProblem, type OnProblem, problemOf } from './problem.ts';
import type { HttpTarget, ProjectConfig } from './project-config.ts';
import { type EnvSource, fillReferences, lookUpIn } from './references.ts';
import { tellSchemaProblems } from './schema-problems.ts';
import { secretValuesOf } from './secret.ts';
import { readDashboardUrl, readDeploy, readLogstore, readVariables } from './sections.ts';
import { readAuth, readBaseUrlFlag, readDatabase, readHttp } from './targets.ts';
import { type ConfigTree, type Plain, readYaml } from './yaml-tree.ts';

/** The texts, with the names to tell problems by. `envText`: undefined when there is no such file. */
export type ProjectTexts = {
  readonly configText: string;
  readonly configFile?: string;
  readonly envText: string | undefined;
  readonly envFile?: string;
  /** The `.env` is there but was told to be unreadable: names from it are not told to be missing. */
  readonly envUnreadable?: boolean;
};

/** `baseUrl` takes the place of the file's `targets.http.base_url`, which may then be missing. */
export type ProjectOptions = { readonly use?: ProjectUse; readonly baseUrl?: string | undefined };

/**
 * Reads a config. Every problem is told, in the order of the files; undefined when one of them is an error. Nothing told
 * holds a secret.
 */
export function parseProject(
  texts: ProjectTexts,
  options: ProjectOptions,
  onProblem: OnProblem,
): ProjectConfig | undefined {
  const problems: ConfigProblem[] = [];
  const config = readAll(texts, options, (problem) => problems.push(problem));
  for (const problem of inOrder(problems)) onProblem(problem);
  return problems.some(({ severity }) => severity === 'error') ? undefined : config;
}

function readAll(texts: ProjectTexts, options: ProjectOptions, onProblem: OnProblem): ProjectConfig | undefined {
  const file = texts.configFile ?? 'platform-config.yaml';
  const lineOf = maskedLines(texts.configText);
  const env = envOf(texts, onProblem);
  const tree = readYaml(texts.configText, (code, spot, values) => {
    onProblem(problemOf(code, { file, spot, excerpt: lineOf(spot.line) }, values));
  });
  const flagged = options.baseUrl === undefined ? undefined : readBaseUrlFlag(options.baseUrl, onProblem);
  if (!tree) return undefined;
  const ledger = ledgerOf(file, tree.spots, lineOf, onProblem);
  const lookUp = lookUpIn(env, ledger);
  const filled = fillReferences(tree.root, lookUp, ledger);
  const notRequired = new Set(options.baseUrl === undefined ? [] : ['/targets/http/base_url']);
  tellSchemaProblems(
    filledTree(tree, (pointer) => filled.get(pointer)?.text),
    notRequired,
    ledger,
  );
  return configOf(draftOf(tree, filled, { use: options.use ?? 'any', ledger, lookUp }), flagged, namesIn(env));
}

function envOf({ envText, envFile = '.env', envUnreadable }: ProjectTexts, onProblem: OnProblem): EnvSource {
  if (envUnreadable) return { file: envFile, entries: 'unreadable' };
  return { file: envFile, entries: envText === undefined ? 'absent' : parseEnvFile(envText, envFile, onProblem) };
}

/** The tree with its texts filled; an empty file is an empty section. */
function filledTree({ root }: ConfigTree, textAt: (pointer: string) => string | undefined): Plain {
  const fill = (value: Plain, pointer: string): Plain => {
    if (value === null) return null;
    if (typeof value === 'string') return textAt(pointer) ?? value;
    if (Array.isArray(value)) return value.map((item: Plain, index) => fill(item, `${pointer}/${index}`));
    return Object.fromEntries(Object.entries(value).map(([key, below]) => [key, fill(below, `${pointer}/${key}`)]));
  };
  return root === null ? {} : fill(root, '');
}

/** Reads every section, so that all problems are told, then puts the config together where nothing required is missing. */
function configOf(
  draft: Draft,
  flagged: HttpTarget | undefined,
  envNames: readonly string[],
): ProjectConfig | undefined {
  const name = draft.text('/project/name');
  const fileHttp = readHttp(draft);
  const database = readDatabase(draft);
  const auth = readAuth(draft);
  const deploy = readDeploy(draft);
  const logstore = readLogstore(draft);
  const dashboardUrl = readDashboardUrl(draft);
  const scenarioVariables = readVariables(draft);
  const http = flagged ?? fileHttp;
  if (name === undefined || !http) return undefined;
  const secrets = [database?.password, auth?.bearerToken, ...scenarioVariables.values()];
  const secretValues = secretValuesOf(secrets.filter((secret) => secret !== undefined));
  const targets = { http, database, auth };
  const names = variableNames(envNames, [...scenarioVariables.keys()], [...draft.targetNames.keys()]);
  return { project: { name }, targets, deploy, logstore, dashboardUrl, scenarioVariables, names, secretValues };
}

function variableNames(all: readonly string[], variables: readonly string[], secrets: readonly string[]) {
  const unlisted = all.filter((name) => !variables.includes(name) && !secrets.includes(name));
  return { variables, secrets, unlisted };
}

function namesIn({ entries }: EnvSource): string[] {
  return typeof entries === 'string' ? [] : [...entries.keys()];
}

function inOrder(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const files = [...new Set(problems.map(({ file }) => file))].sort((a, b) => rank(a) - rank(b));
  return problems.toSorted(
    (a, b) =>
      files.indexOf(a.file) - files.indexOf(b.file) ||
      (a.spot?.line ?? 0) - (b.spot?.line ?? 0) ||
      (a.spot?.column ?? 0) - (b.spot?.column ?? 0),
  );
}

/** The config before its `.env`, and flags before both. */
function rank(file: string): number {
  if (file.startsWith('--')) return 0;
  return file.endsWith('.env') ? 2 : 1;
}
