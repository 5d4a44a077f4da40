/** The headline that ends an onboarding: its outcome, and what is set up now. */
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import type { OnboardingContext } from './context.ts';
import { notReadyFix } from './steps/executor-online.ts';
import type { StepsResult } from './workflow/run-steps.ts';
import type { Shortfall } from './workflow/step.ts';

/** The headline, as JSON output prints it. */
export type Headline = {
  readonly outcome: 'ALL SET' | 'PARTIALLY SET' | 'NOT READY';
  readonly exit_code: ExitCode;
  /** There was nothing to do. */
  readonly unchanged: boolean;
  readonly reasons: readonly { readonly reason: string; readonly cure: string }[];
  readonly control_plane: string;
  readonly dashboard: { readonly url: string; readonly status: 'up' | 'down' };
  readonly instance: { readonly id: string; readonly executor_status: string; readonly executor_port: number | null };
  readonly scenarios: {
    readonly imported: number;
    readonly total: number;
    readonly refused: readonly { readonly file: string; readonly reason: string }[];
  };
  readonly test_agent: AgentLine;
  readonly product_agent: AgentLine;
  readonly transcript: string | null;
  /** What to run now; null unless everything is set. */
  readonly next: string | null;
};

type AgentLine = { readonly tools: number | null; readonly folder: string };

const defaultDashboardUrl = 'http://127.0.0.1:3000';

export function buildHeadline(context: OnboardingContext, end: StepsResult): Headline {
  const { request, state, transcript } = context;
  const { outcome, exit_code } = toOutcome(end.shortfalls);
  return {
    outcome,
    exit_code,
    unchanged: end.acted === 0,
    reasons: end.shortfalls.map(({ reason, cure }) => ({ reason, cure })),
    control_plane: request.controlPlane,
    dashboard: { url: state.project?.dashboardUrl ?? defaultDashboardUrl, status: state.dashboard ?? 'down' },
    instance: {
      id: state.instanceId ?? '',
      executor_status: state.instance?.executor_status ?? 'NEVER_SEEN',
      executor_port: state.port ?? null,
    },
    scenarios: {
      imported: state.importResult?.imported ?? 0,
      total: state.importResult?.total ?? 0,
      refused: state.importResult?.refused ?? [],
    },
    test_agent: { tools: state.agents?.test?.tools ?? null, folder: request.testDir },
    product_agent: { tools: state.agents?.product?.tools ?? null, folder: request.productDir },
    transcript: transcript.file ?? null,
    next: end.shortfalls.length === 0 ? formatNextCommand(context) : null,
  };
}

/** Runs the imported scenarios, from any folder. */
function formatNextCommand({ request, state }: OnboardingContext): string {
  const testDir = /[^\w./-]/.test(request.testDir) ? `'${request.testDir}'` : request.testDir;
  return `vp run --instance ${state.instanceId} --control-plane ${request.controlPlane} ${testDir}`;
}

/** Exit code 3 if anything waits for the executor; other shortfalls make the outcome partial. */
function toOutcome(shortfalls: readonly Shortfall[]): Pick<Headline, 'outcome' | 'exit_code'> {
  if (shortfalls.length === 0) return { outcome: 'ALL SET', exit_code: exitCode.done };
  if (shortfalls.some(({ passes }) => passes)) return { outcome: 'NOT READY', exit_code: exitCode.notReady };
  return { outcome: 'PARTIALLY SET', exit_code: exitCode.checkFailed };
}

/** For people. */
export function formatHeadline(headline: Headline): string {
  const { outcome, instance, scenarios, dashboard } = headline;
  const formatAgent = ({ tools, folder }: AgentLine): string => `${tools ?? 'no'} tools, in ${folder}`;
  const facts: readonly (readonly [string, string])[] = [
    ['control plane', headline.control_plane],
    ['dashboard', `${dashboard.url} (${dashboard.status})`],
    ['instance', `${instance.id}, executor ${instance.executor_status}, 127.0.0.1:${instance.executor_port ?? '?'}`],
    ['scenarios', `imported ${scenarios.imported} of ${scenarios.total}`],
    ['test agent', formatAgent(headline.test_agent)],
    ['product agent', formatAgent(headline.product_agent)],
    ...(headline.transcript === null ? [] : ([['transcript', headline.transcript]] as const)),
  ];
  const lines = facts.map(([name, value]) => `  ${name.padEnd(13)}  ${value}`);
  const refused = scenarios.refused.map(({ file, reason }) => `    refused ${file}: ${reason}`);
  const unchangedLine = headline.unchanged && outcome === 'ALL SET' ? ['Nothing to do.'] : [];
  const nextLine = headline.next === null ? [] : [`Next: ${headline.next}`];
  const text = [formatTitle(headline), ...formatFixes(headline), ...lines, ...refused, ...unchangedLine, ...nextLine];
  return `${text.join('\n')}\n`;
}

function formatTitle({ outcome, instance, reasons }: Headline): string {
  const reasonsText = reasons.map(({ reason }) => reason).join('; ');
  if (outcome === 'ALL SET') return outcome;
  if (outcome === 'PARTIALLY SET') return `${outcome}: ${reasonsText}`;
  return `the instance ${instance.id} is registered but something was not ready: ${notReadyFix} (${reasonsText})`;
}

/** How to fix the shortfalls, without duplicates. */
function formatFixes({ outcome, reasons }: Headline): string[] {
  const cures = reasons.map(({ cure }) => cure).filter((cure) => outcome !== 'NOT READY' || cure !== notReadyFix);
  return [...new Set(cures)].map((cure) => `    ${cure}`);
}
