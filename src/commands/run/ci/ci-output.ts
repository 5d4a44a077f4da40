/** `--ci`: what a CI system displays beside the output of the job. Loaded only if the flag is given. */
import { printError } from '../../../command-line/print-error.ts';
import type { Environment } from '../../../environment/environment.ts';
import { vpError } from '../../../errors/vp-error.ts';
import { renderMarkdown } from '../../../report/markdown.ts';
import type { RunResults } from '../../../report/results.ts';
import type { CiAdapter } from './ci-adapter.ts';
import { createGithubOutput } from './github.ts';
import { createGitlabOutput } from './gitlab.ts';
import { writeComment } from './request-comment.ts';

export type CiSystem = 'github' | 'gitlab';

export type CiSettings = {
  readonly system: CiSystem;
  readonly comment: boolean;
  /** Standard output holds one JSON document, so that nothing else may be written there. */
  readonly json: boolean;
  /** What distinguishes this comment from those of other jobs and selections. */
  readonly selection: readonly string[];
};

export type CiOutput = {
  /** Before anything of a target is printed. */
  begin(): void;
  /** After everything of a target was printed. */
  endOutput(): void;
  /** Writes what the system displays. Paths of scenarios are relative to the checkout. Never rejects: the verdict stands. */
  publish(results: RunResults): Promise<void>;
};

/** Throws CI_VARIABLE_MISSING before anything runs. */
export function openCiOutput(settings: CiSettings, environment: Environment): CiOutput {
  const adapter: CiAdapter =
    settings.system === 'github' ? createGithubOutput(environment, settings.json) : createGitlabOutput(environment);
  const thread = settings.comment ? adapter.findThread() : undefined;
  return {
    begin: () => adapter.begin(),
    endOutput: () => adapter.endOutput(),
    async publish(results) {
      const summary = renderMarkdown(results);
      adapter.publish(results, summary);
      if (!settings.comment) return;
      if (!thread) {
        environment.streams.stderr.write('vp: no comment: this job does not belong to a pull or merge request\n');
        return;
      }
      try {
        await writeComment(thread, { key: settings.selection, text: summary }, environment);
      } catch (thrown) {
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
        printError(
          vpError('CI_COMMENT_REFUSED', { reason, permission: thread.permission }),
          { json: false, debug: false },
          environment,
        );
      }
    },
  };
}
