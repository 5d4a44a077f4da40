import type { Run } from '../../contract/api.ts';
import type { CreateSuiteRequest, RerunSuiteRequest, Suite } from '../../contract/suites-api.ts';
import type { RunResults } from '../../report/results.ts';
import type { Actor, PageQuery, ResultPage } from '../list-types.ts';

/** All conditions must hold. */
export type SuiteListFilter = {
  readonly instance: string;
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
  readonly schedule?: string | undefined;
};

/** Methods throw INSTANCE_UNKNOWN; those of one suite throw SUITE_UNKNOWN too. */
export type SuitesService = {
  /** The newest first. */
  list(filter: SuiteListFilter, page: PageQuery): Promise<ResultPage<Suite>>;
  get(instance: string, suite: string): Promise<Suite>;
  /** The suite of the key, whoever was first. Throws SUITE_KEY_DIFFERS. */
  create(instance: string, input: CreateSuiteRequest, actor: Actor): Promise<Suite>;
  /** As a suite of its own. Throws SUITE_NOTHING_TO_RERUN, SCENARIO_DELETED. */
  rerun(
    instance: string,
    suite: string,
    input: RerunSuiteRequest,
    actor: Actor,
  ): Promise<{ suite: Suite; runs: Run[] }>;
  /** Whether a run of it is of a text that is not in the catalogue. */
  hasTexts(instance: string, suite: string): Promise<boolean>;
  /** Ids of the runs that have not ended. */
  listOpenRunIds(instance: string, suite: string): Promise<string[]>;
  /** What a report file says of it. Throws SUITE_REPORTS_ABSENT. */
  readResults(instance: string, suite: string): Promise<RunResults>;
};
