/** Problems that `vp doctor` finds. Rows with exit code 3 may resolve by themselves. */
import { invalid, localFailure, notReady, peerFailure, warning } from './row.ts';

export const doctorErrors = {
  DOCTOR_INSTANCE_UNKNOWN: invalid(
    'the instance cannot be determined without the control plane',
    'name it with --instance, or name the folders of its agents with --test-dir and --product-dir',
  ),
  AGENT_CALL_FAILED: peerFailure('{{reason}} ({{url}})', 'check whether the router and the executor are running'),
  CONTROL_PLANE_NOT_READY: notReady(
    'the control plane {{url}} answers but is not ready (status {{status}}{{reason}})',
    'wait a few seconds; if this persists, see the log of `vp serve`, and run `vp doctor` with its --database-file where the store is on PostgreSQL',
  ),
  CONTROL_PLANE_CLOCK_JUMPED: warning(
    'the clock of the machine of the control plane {{url}} has jumped; nothing is deleted by age for now',
    'correct the clock there (`timedatectl set-ntp true`); the log of `vp serve` says by how much it jumped, and what to do if it is right',
  ),
  EXECUTOR_STORE_STALE: warning(
    'the folder of the executor of {{instance}} was an older copy at {{moment}}; the run that was in progress failed, and nothing was sent again',
    'request runs that failed with executor_lost again; do not put back copies of an executor folder: a new, empty one is safer',
  ),
  CONTROL_STORE_WENT_BACK: warning(
    'the data folder of the control plane was an older copy at {{moment}}: queued runs of {{instance}} were cancelled, and runs since the copy are missing',
    'restore backups with `vp restore <file>`, which settles them; request again the runs that are missing',
  ),
  CLOCK_SKEWED: warning(
    'the clock of this machine is {{seconds}} s {{direction}} the control plane’s',
    'synchronize both clocks with NTP (`timedatectl set-ntp true`); until then times of runs and of log lines do not match',
  ),
  EXECUTOR_NEVER_SEEN: notReady(
    'the instance {{instance}} is registered, and its executor has not connected yet',
    'wait a minute; if this persists, run `vp onboard` again, which continues from there',
  ),
  EXECUTOR_AWAY: localFailure(
    'the executor of {{instance}} has not been in contact for {{minutes}} min',
    'see below whether its container runs and what it logs; `vp doctor --fix` starts one that was stopped',
  ),
  PROJECT_ABSENT: localFailure(
    'there is no container of the compose project {{project}}',
    'run `vp onboard` again: it starts what is missing and does not change the rest',
  ),
  CONTAINER_ABSENT: localFailure(
    'the compose project {{project}} has no container for its {{role}}',
    '`vp doctor --fix`, or run `vp onboard` again: both start what is missing',
  ),
  CONTAINER_STOPPED: localFailure(
    '{{container}} is not running ({{state}})',
    '`vp doctor --fix`, or `{{program}} {{verb}} {{name}}`',
  ),
  CONTAINER_STARTING: notReady('{{container}} is starting', 'wait half a minute, then run this again'),
  CONTAINER_RESTARTING: localFailure(
    '{{container}} keeps exiting and restarting; its last log line: {{log}}',
    'see the full log with `{{program}} logs {{name}}`; once the cause is fixed, it starts by itself',
  ),
  CONTAINER_UNHEALTHY: localFailure(
    '{{container}} is running but fails its health check; its last log line: {{log}}',
    'see the full log with `{{program}} logs {{name}}`, then `{{program}} restart {{name}}`',
  ),
  VERSION_OTHER: warning(
    '{{component}} has the version {{actual}}; the control plane recommends its own, {{recommended}}',
    'install that version, then run `vp onboard` again with `--image …:v{{recommended}}-slim`',
  ),
  ROUTER_SILENT: localFailure(
    'nothing answers on port {{port}}, where agents look for the router',
    'run `vp onboard` again, or `vp router` where there are no containers',
  ),
  AGENT_FOLDER_UNCONNECTED: localFailure(
    '{{folder}} has no entry for {{instance}} in .mcp.json',
    'connect it: `vp connect --instance {{instance}} --{{flag}} {{folder}}`',
  ),
  AGENT_TOKEN_UNIGNORED: localFailure(
    'git would add {{file}} to the repository, with the agent’s token',
    '`vp doctor --fix`, or add the file to .gitignore',
  ),
  AGENT_SERVER_DISABLED: warning(
    'the agent’s client in {{folder}} asks before it uses the tools of {{instance}}',
    '`vp doctor --fix`, or approve the tools when it asks',
  ),
  AGENT_REFUSED: localFailure(
    'the agent in {{folder}} cannot reach its tools: {{reason}}',
    'if its token is not recognized, run `vp connect --instance {{instance}} --{{flag}} {{folder}}`; then restart the agent',
  ),
  AGENT_ANSWER_BAD: localFailure(
    'the tools of the agent in {{folder}} report an error: {{message}}',
    'check the log of the executor',
  ),
  SCENARIOS_FOLDER_MISSING: localFailure(
    'there is no folder {{folder}}',
    'name the folder of scenarios with --scenarios',
  ),
  SCENARIOS_DEFAULT_MISSING: warning(
    'there is no folder {{folder}}, where scenarios usually are',
    'name the folder of scenarios with --scenarios, or create it: `vp scenarios pull <folder>` writes the catalogue into one',
  ),
  CATALOGUE_DIFFERS: warning(
    'scenarios {{how}}: {{ids}}',
    'see `vp scenarios diff --instance {{instance}} {{folder}}`; `push` sends the folder, `pull` writes the catalogue',
  ),
  LOG_LINES_ABSENT: warning(
    'no line of the last {{count}} runs was found in the log of the target: {{reason}}',
    'make the target log the X-Request-Id that it receives, and make the scenarios send `X-Request-Id: ${correlation_id}`',
  ),
  LOG_FIELD_UNSEEN: warning(
    '`observability.logstore.{{member}}` is `{{field}}`, and no line of the last {{count}} runs fits that',
    'set it to the field that the target writes, then run `vp onboard` again; `vp runs show <run id>` shows the lines',
  ),
  LOG_ERRORS_UNKNOWN: warning(
    'the log of the last run does not tell which lines are errors: {{problem}}',
    '{{solution}}',
  ),
  EVIDENCE_UNAVAILABLE: localFailure('the executor cannot read the {{source}} of the target: {{problem}}', '{{cure}}'),
  EVIDENCE_DOUBTFUL: warning('the {{source}} of the target: {{problem}}', '{{cure}}'),
  DASHBOARD_PORT_FOREIGN: warning(
    'port {{port}} of {{use}} is held by {{holder}}',
    'stop that process, then run `vp onboard` again; runs continue without it',
  ),
  DASHBOARD_SILENT: warning(
    '{{use}} does not answer on port {{port}}',
    'check whether its container runs; `vp onboard` starts it again; runs continue without it',
  ),
  METRICS_TARGETS_ABSENT: warning(
    'the metrics store measures nothing: it knows neither an executor nor the router, so the dashboard stays empty',
    'run `vp onboard` again, which connects them; runs continue without the dashboard',
  ),
  METRICS_TARGETS_UNKNOWN: warning(
    'the metrics store on port {{port}} does not say what it measures: {{reason}}',
    'check its log: `docker logs platform-obs-prometheus-1`; `vp onboard` starts it again',
  ),
  METRICS_TARGET_DOWN: warning(
    'the metrics store gets no measurements from {{url}}: {{reason}}',
    'check whether it runs; it is queried again every few seconds',
  ),
} as const;
