/** Executes one run from its request to its report: parse, bind, send, judge, clean up, redact. */
import type { SelectElements, ValidateSchema } from '../../check/observation.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import type { Report } from '../../report/report.ts';
import type { ExecutionFailure } from '../../run/evidence.ts';
import type { RunRequest } from '../../run/run-request.ts';
import { createGrantNotes, findTargetService } from '../evidence/evidence-sources.ts';
import { createVersionReader } from '../evidence/version-reader.ts';
import { createFailure } from '../execution-failure.ts';
import { createConcealmentFactory, filterConcealable } from '../redaction/concealment.ts';
import { createRedactor } from '../redaction/redactor.ts';
import type { ChainProgress } from './chain-journal.ts';
import { executeCases, recoverCases } from './execute-cases.ts';
import { createUnsentReport, executeScenario } from './execute-scenario.ts';
import {
  type ExecuteOptions,
  listTargetSecrets,
  type RecoverOptions,
  type RunnerContext,
  type RunnerOptions,
  readRunStart,
} from './run-context.ts';
import { createScenarioCache, findFirstScenarioError } from './scenario-cache.ts';

/** Executes any number of runs concurrently. */
export type Runner = {
  /** Never rejects because of the target, the scenario or the config: such failures are in the report. */
  execute(request: RunRequest, options?: ExecuteOptions): Promise<Report>;
  /** Cleans up after a run that an earlier start left at `progress`, and returns its report. Sends no step and no trigger. */
  recover(request: RunRequest, progress: ChainProgress, options: RecoverOptions): Promise<Report>;
  /** The report of a run that is not executed because of `failure`. */
  refuse(request: RunRequest, failure: ExecutionFailure): Report;
};

export function createRunner(options: RunnerOptions): Runner {
  const database = options.evidenceSources?.database;
  const { targetVersion } = options.project;
  const shared: Omit<RunnerContext, 'readVersion'> = {
    ...options,
    origin: options.project.targets.http.baseUrl,
    targetService: findTargetService(options.project),
    bearerToken: options.project.targets.auth?.bearerToken.reveal(),
    variables: Object.fromEntries(
      [...options.project.scenarioVariables].map(([name, value]) => [name, value.reveal()]),
    ),
    redactor: createRedactor(options.project.secretValues, listSecretsVisibleToChecks(options.project)),
    visibleSecrets: listSecretsVisibleToChecks(options.project),
    createConcealment: createConcealmentFactory(listTargetSecrets(options.project)),
    parseScenario: createScenarioCache(options.placeholders ?? { variables: 'any' }),
    loadSchemaValidator: createSchemaValidatorLoader(),
    loadElementSelector: createElementSelectorLoader(),
    readGrantNotes: database && createGrantNotes(database, options.project.targets.database?.username ?? ''),
  };
  const context: RunnerContext = {
    ...shared,
    readVersion: targetVersion && createVersionReader(targetVersion, shared),
  };
  return {
    execute: (request, executeOptions = {}) => executeRun(context, request, executeOptions),
    recover: (request, progress, recoverOptions) =>
      recoverCases(context, request, readRunStart(context), progress, recoverOptions),
    refuse: (request, failure) => {
      const { scenario } = context.parseScenario(request.scenarioText);
      return createUnsentReport(context, request, readRunStart(context), failure, scenario);
    },
  };
}

function createSchemaValidatorLoader(): () => Promise<ValidateSchema> {
  let validator: Promise<ValidateSchema> | undefined;
  return () => {
    validator ??= import('../response/schema-validator.ts').then((module) => module.createSchemaValidator());
    return validator;
  };
}

function createElementSelectorLoader(): () => Promise<SelectElements> {
  let selector: Promise<SelectElements> | undefined;
  return () => {
    selector ??= import('../response/element-selector.ts').then((module) => module.createElementSelector());
    return selector;
  };
}

function listSecretsVisibleToChecks(project: ProjectConfig): string[] {
  const concealed = new Set(filterConcealable(listTargetSecrets(project)));
  return project.secretValues.filter((value) => !concealed.has(value));
}

async function executeRun(context: RunnerContext, request: RunRequest, options: ExecuteOptions): Promise<Report> {
  const start = readRunStart(context);
  const parsed = context.parseScenario(request.scenarioText);
  const { scenario } = parsed;
  if (scenario && scenario.cases.length > 0) return executeCases(context, request, scenario, start, options);
  if (scenario) return executeScenario(context, request, scenario, start, options);
  const failure = createFailure('EXECUTOR_SCENARIO_UNREADABLE', findFirstScenarioError(parsed));
  return createUnsentReport(context, request, start, failure);
}
