import { command } from '../../command-line/command.ts';
import type { HubToolVerification, ToolScenarioResult } from '../../contract/hubs/tool-verification-api.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { paintFor, type TerminalPaint } from '../../terminal/paint.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';

/** `vp hubs verify`. */
export const hubsVerifyCommand = command({
  name: 'hubs verify',
  summary: 'run the scenarios of a tool against its definition that waits for approval',
  positionals: [
    hubArgument,
    { name: 'connection', describe: 'name of the connection', required: true },
    { name: 'tool', describe: 'name of the tool', required: true },
  ],
  flags: controlPlaneFlags,
  examples: [['vp hubs verify acme docs search', 'before `vp hubs approve acme docs search`']],
  notes:
    'For owners of the hub. Runs the scenarios of all instances whose trigger is `CALL <connection>__<tool>`, with your rights; the policy and the audit apply. Exit code 0: all passed. 1: some failed. 2: no definition of the tool waits. 4: some could not be judged, or no scenario calls the tool. With --json: {"verification"}.',
  async run({ flags, args: [hub = '', connection = '', tool = ''], json, environment }) {
    const { stdout } = environment.streams;
    const { hubPolicy } = await openClient(flags, environment);
    const tools = await hubPolicy.listTools(hub, { kind: 'tool' });
    const definition = tools.find((candidate) => candidate.connection === connection && candidate.tool === tool);
    const name = tool.slice(0, 300);
    if (!definition) throw vpError('TOOL_PIN_UNKNOWN', { tool: name, connection });
    const { waiting, waiting_digest: digest } = definition;
    if (digest === null) throw vpError(waiting === null ? 'TOOL_PIN_APPROVED' : 'TOOL_PIN_TOO_LARGE', { tool: name });
    const verification = await hubPolicy.verifyTool(hub, { connection, tool, digest });
    const text = formatVerification(`${connection}__${tool}`, verification, paintFor(stdout, environment.variables));
    stdout.write(json ? `${JSON.stringify({ verification }, null, 2)}\n` : text);
    return getExitCode(verification);
  },
});

function getExitCode({ results, omitted }: HubToolVerification): ExitCode {
  if (results.some(({ outcome }) => outcome === 'failed')) return exitCode.checkFailed;
  const isUnknown = results.length === 0 || omitted > 0 || results.some(({ outcome }) => outcome === 'broken');
  return isUnknown ? exitCode.broken : exitCode.done;
}

function formatVerification(
  name: string,
  { results, omitted, digest }: HubToolVerification,
  paint: TerminalPaint,
): string {
  if (results.length === 0)
    return escapeUnsafeLine(
      `nothing was verified: no scenario of any instance has the trigger \`CALL ${name}\``,
    ).concat('\n');
  const lines = results.flatMap((result) => formatResult(result, paint));
  const rest = omitted === 0 ? [] : [`${omitted} more scenarios were not run`];
  return `${[...lines, ...rest, `of the definition ${digest}`].join('\n')}\n`;
}

const marks = { passed: '✓', failed: '✕', broken: '!' } as const;
const labels = { passed: 'passed', failed: 'failed', broken: 'could not be judged' } as const;

function formatResult(result: ToolScenarioResult, paint: TerminalPaint): string[] {
  const { instance, scenario, outcome, message, checks } = result;
  const failing = checks.filter(({ passed }) => passed === false);
  return [
    `${paint[outcome](marks[outcome])} ${escapeUnsafeLine(`${instance}/${scenario}`)}  ${labels[outcome]}`,
    ...(message === null ? [] : [`    ${escapeUnsafeLine(message)}`]),
    ...failing.map(({ text, actual }) => `    ${escapeUnsafeLine(`${text}: ${actual}`)}`),
  ];
}
