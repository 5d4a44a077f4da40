/** What doctor finds wrong. Rows with exit code 3 may clear by themselves. */
import { broken, invalid, unreachable, unready, warning } from './row.ts';

/** Area: doctor. */
export const doctorErrors = {
  DOCTOR_INSTANCE_UNKNOWN: invalid(
    'which instance is meant cannot be told without the control plane',
    'name it with --instance, or name the folders of its agents with --test-dir and --product-dir',
  ),
  AGENT_CALL_FAILED: unreachable('{{reason}} ({{url}})', 'see whether router and executor run'),
  CONTROL_PLANE_NOT_READY: unready(
    'the control plane {{url}} answers but is not ready (status {{status}})',
    'wait a few seconds; if it stays, see the log of `vp serve`',
  ),
  CLOCK_SKEWED: warning(
    'the clock of this machine is {{seconds}} s {{direction}} the control plane’s',
    'let both be set by NTP (`timedatectl set-ntp true`); until then times of runs and of log lines do not fit together',
  ),
  EXECUTOR_NEVER_SEEN: unready(
    'the instance {{instance}} is registered, and its executor has not called yet',
    'wait a minute; if it stays, run `vp onboard` again, which goes on from there',
  ),
  EXECUTOR_AWAY: broken(
    'the executor of {{instance}} has not called for {{minutes}} min',
    'see below whether its container runs and what it says; `vp doctor --fix` starts one that was stopped',
  ),
  PROJECT_ABSENT: broken(
    'there is no container of the compose project {{project}}',
    'run `vp onboard` again: it starts what is missing and leaves the rest as it is',
  ),
  CONTAINER_STOPPED: broken(
    '{{container}} does not run ({{state}})',
    '`vp doctor --fix`, or `{{program}} {{verb}} {{name}}`',
  ),
  CONTAINER_STARTING: unready('{{container}} is starting', 'wait half a minute, then run this again'),
  CONTAINER_RESTARTING: broken(
    '{{container}} ends and is started again, over and over; it said last: {{log}}',
    'see all of it with `{{program}} logs {{name}}`; when what it says is cleared, it starts by itself',
  ),
  CONTAINER_UNHEALTHY: broken(
    '{{container}} runs and does not answer its health check; it said last: {{log}}',
    'see all of it with `{{program}} logs {{name}}`, then `{{program}} restart {{name}}`',
  ),
  VERSION_OTHER: warning(
    '{{what}} has the version {{found}}; the control plane recommends {{recommended}}',
    'get that version, then run `vp onboard` again with `--image …:v{{recommended}}-slim`',
  ),
  ROUTER_SILENT: broken(
    'nothing answers on port {{port}}, where agents look for the router',
    'run `vp onboard` again, or `vp router` where there are no containers',
  ),
  AGENT_FOLDER_UNCONNECTED: broken(
    '{{folder}} has no entry of {{instance}} in .mcp.json',
    'connect it: `vp connect --instance {{instance}} --{{flag}} {{folder}}`',
  ),
  AGENT_TOKEN_UNIGNORED: broken(
    'git would take {{file}} into the repository, with the agent’s token',
    '`vp doctor --fix`, or add the file to .gitignore',
  ),
  AGENT_SERVER_DISABLED: warning(
    'the agent’s client in {{folder}} asks before it uses the tools of {{instance}}',
    '`vp doctor --fix`, or say yes when it asks',
  ),
  AGENT_REFUSED: broken(
    'the agent in {{folder}} does not reach its tools: {{reason}}',
    'when its token is not recognized: `vp connect --instance {{instance}} --{{flag}} {{folder}}`; then start the agent anew',
  ),
  AGENT_ANSWER_BAD: broken(
    'the tools of the agent in {{folder}} answer: {{said}}',
    'see what is wrong with the executor',
  ),
  SCENARIOS_FOLDER_MISSING: broken('there is no folder {{folder}}', 'name the folder of scenarios with --scenarios'),
  SCENARIOS_DEFAULT_MISSING: warning(
    'there is no folder {{folder}}, where scenarios usually are',
    'name theirs with --scenarios, or make it: `vp scenarios pull` writes the catalogue into one',
  ),
  CATALOGUE_DIFFERS: warning(
    'scenarios {{how}}: {{ids}}',
    'see `vp scenarios diff --instance {{instance}} {{folder}}`; `push` sends the folder, `pull` writes the catalogue',
  ),
  LOG_LINES_ABSENT: warning(
    'no line of the last {{count}} runs was found in the log of the target: {{reason}}',
    'let the target write the X-Request-Id it receives into its log, and the scenarios send `X-Request-Id: ${correlation_id}`',
  ),
  EVIDENCE_UNAVAILABLE: broken('the executor cannot read the {{what}} of the target: {{said}}', '{{cure}}'),
  EVIDENCE_DOUBTFUL: warning('the {{what}} of the target: {{said}}', '{{cure}}'),
  DASHBOARD_PORT_FOREIGN: warning(
    'port {{port}} of {{use}} is held by {{holder}}',
    'stop that, then run `vp onboard` again; runs go on without',
  ),
  DASHBOARD_SILENT: warning(
    '{{use}} does not answer on port {{port}}',
    'see whether its container runs; `vp onboard` starts it again; runs go on without',
  ),
  METRICS_TARGET_DOWN: warning(
    'the metrics store gets no measurements from {{url}}: {{reason}}',
    'see whether that runs; it is asked again every few seconds',
  ),
} as const;
