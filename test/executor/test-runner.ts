/** Runners of scenarios for tests, whose connections end with the test. */
import type { Test } from 'tap';
import { ReportSchema } from '../../src/contract/report-schema.ts';
import { systemClock } from '../../src/environment/clock.ts';
import type { RunnerOptions } from '../../src/executor/runs/run-context.ts';
import { createRunner, type Runner } from '../../src/executor/runs/runner.ts';
import { createValidator } from '../../src/http/schema/validator.ts';
import { createTargetDispatcher } from '../../src/outbound/target-dispatcher.ts';
import type { ProjectConfig } from '../../src/project/project-config.ts';
import type { Report } from '../../src/report/report.ts';
import { createTestProject, type TestProjectOptions } from './test-project.ts';

/** `config` replaces members of the project. */
export type TestRunnerOptions = Partial<Omit<RunnerOptions, 'project' | 'dispatcher'>> & {
  readonly project?: Partial<TestProjectOptions>;
  readonly config?: Partial<ProjectConfig>;
  readonly extraRoots?: readonly string[];
};

/** Closes the target after the test too, if it can be closed. */
export function createTestRunner(
  t: Test,
  target: { readonly origin: string; close?(): unknown },
  { project: projectOptions = {}, config, extraRoots = [], ...options }: TestRunnerOptions = {},
): Runner {
  const dispatcher = createTargetDispatcher({ extraRoots });
  t.teardown(async () => {
    dispatcher.close();
    await target.close?.();
  });
  const project = { ...createTestProject({ baseUrl: target.origin, ...projectOptions }), ...config };
  return createRunner({ clock: systemClock, version: '0.4.0', ...options, project, dispatcher });
}

const wire = createValidator<Report>(ReportSchema);

/** Every report that an executor sends must fit the schema. */
export function assertValidReport(t: Test, report: Report): Report {
  t.strictSame(wire.isValid(report) ? [] : wire.listViolations(report, true), [], 'the report fits the wire');
  return report;
}
