/**
 * How an agent works, with the tools that it has. The one source for the page in the agent's folder and for the topic `work` of
 * author__get_guide, so that both say the same.
 */
import type { AgentRole } from './agent-token.ts';

const testSteps = [
  '`author__get_executor_status`: check that the executor is healthy, and which placeholders exist.',
  '`author__get_guide` with topic `brief`: all forms of a scenario; without a topic the whole guide. The description of `author__write_scenario` has the usual forms.',
  '`author__probe_target`: send requests and look at the responses, or only at what `select` names; nothing is saved.',
  'Write the scenario; `author__validate_scenario` until it reports nothing. Its title is `# Scenario: <METHOD> <name>`, with the method of the request.',
  '`author__request_run` with `text`, then `author__get_run_status`: what was sent, what came back, each check, log lines and fixes.',
  'After a failed run, report the application if it is wrong, else correct the scenario. Never loosen a check to make it pass.',
  '`author__request_run` with `prove` true: checks that never fail are worthless; add the checks that it suggests where they say what must hold.',
  'Several at once: `author__write_scenario` with `texts`, then `author__request_suite` with `prove`: it waits, and answers with all failures and all that no check looks at.',
  '`author__write_scenario` stores it in the catalogue. A person pulls it into the scenarios folder.',
];

const productSteps = [
  '`product__get_instance_status`: whether the executor is there, and how the runs of the last day ended.',
  '`product__get_error_summary`: which scenarios fail and since when, and the newest batch of runs beside the one before it.',
  '`product__get_run_report` and `product__get_run_logs`: what was sent, what came back, and the application’s own log lines of that run.',
  'Fix the application and restart it. Ask a person or the test agent for new runs: your tools only read.',
  '`product__list_runs` shows the process and version that each run hit, where they are known. A run that hit the process of an earlier failure says nothing about your fix.',
  '`product__validate_config` after each change of `platform-config.yaml`.',
];

const steps: Readonly<Record<AgentRole, readonly string[]>> = { test: testSteps, product: productSteps };

/** A numbered list in Markdown. */
export function formatWorkSteps(role: AgentRole): string {
  return steps[role].map((step, index) => `${index + 1}. ${step}`).join('\n');
}
