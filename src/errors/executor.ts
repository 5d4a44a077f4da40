/**
 * Errors of the executor. Those of the first group become the failure of a run (`failure.message`, `failure.cure`) and are
 * never thrown; `src/executor/execution-failure.ts` says which failure kind each one is.
 */
import { exitCode } from './exit-code.ts';
import { invalid, notReady, peerFailure, withStatus } from './row.ts';

const ofRuns = {
  EXECUTOR_TARGET_UNRESOLVED: peerFailure(
    'the host name {{host}} does not resolve ({{reason}})',
    'check the host in {{setting}}: {{host_hint}}',
  ),
  EXECUTOR_TARGET_REFUSED: peerFailure(
    'nothing listens at {{address}}: the connection was refused',
    'start the target, and check host and port in {{setting}} ({{port_hint}})',
  ),
  EXECUTOR_TARGET_UNREACHABLE: peerFailure(
    '{{address}} cannot be reached: {{reason}}',
    'check that the executor and the target share a network, and that no firewall is between them',
  ),
  EXECUTOR_TIMEOUT_CONNECT: peerFailure(
    'no connection to {{address}} within {{seconds}} s',
    'check that the target runs and that no firewall drops packets; a longer `## TIMEOUT` helps only a slow network',
  ),
  EXECUTOR_TIMEOUT_HEADERS: peerFailure(
    'the request was sent to {{address}}, and no response came within {{seconds}} s ({{progress}})',
    'check in the log of the target what it was doing, or raise `## TIMEOUT`',
  ),
  EXECUTOR_TIMEOUT_BODY: peerFailure(
    '{{address}} answered {{status}}, but its body was not complete within {{seconds}} s ({{bytes}} bytes had arrived)',
    'check why the target sends so slowly or keeps the response open, or raise `## TIMEOUT`',
  ),
  EXECUTOR_TARGET_CLOSED: peerFailure(
    '{{address}} closed the connection without a response ({{reason}})',
    'check in the log of the target whether it crashed, restarted or refused the connection{{hint}}',
  ),
  EXECUTOR_BODY_BROKEN_OFF: peerFailure(
    '{{address}} answered {{status}}, but the body ended early, after {{bytes}} bytes ({{reason}})',
    'check the log of the target, or of a proxy before it, for a crash or a wrong Content-Length',
  ),
  EXECUTOR_TARGET_NOT_HTTP: peerFailure(
    'what {{address}} sent is not HTTP/1.1: {{reason}}',
    'check that the port in {{setting}} is the HTTP port of the target, and correct what answers like that there',
  ),
  EXECUTOR_TARGET_HEAD_TOO_LARGE: peerFailure(
    'the header lines of the response of {{address}} are larger than {{limit}} bytes',
    'check which header the target sends too often or too long, often Set-Cookie',
  ),
  EXECUTOR_TLS_EXPECTED: peerFailure(
    '{{address}} expects TLS, and the request was sent without it',
    'write https:// in {{setting}}',
  ),
  EXECUTOR_TLS_NOT_SPOKEN: peerFailure(
    '{{address}} does not speak TLS ({{reason}})',
    'name the port that speaks TLS, or write http:// in {{setting}}: everything, credentials too, is then sent in the clear',
  ),
  EXECUTOR_TLS_UNTRUSTED: peerFailure(
    'the certificate of {{address}} is not signed by a root known here ({{reason}})',
    'pass the root certificate that signed it with `--ca <file.pem>`',
  ),
  EXECUTOR_TLS_NAME: peerFailure(
    'the certificate of {{address}} is for another name: {{reason}}',
    'write a name of the certificate in {{setting}}, or add this one to the certificate',
  ),
  EXECUTOR_TLS_EXPIRED: peerFailure(
    'the certificate of {{address}} is not valid today ({{reason}})',
    'renew the certificate of the target, and check the clock of this machine',
  ),
  EXECUTOR_TLS_FAILED: peerFailure(
    'the TLS connection to {{address}} failed ({{reason}})',
    'check TLS versions, ciphers and client certificates that the target asks for',
  ),
  EXECUTOR_RESPONSE_TOO_LARGE: peerFailure(
    'the body of the response of {{address}} is larger than {{limit}} ({{size}})',
    'request less from the target, for example by paging; the rest was not read',
  ),
  EXECUTOR_BODY_UNDECODABLE: peerFailure(
    '{{address}} says Content-Encoding: {{encoding}}, but the body cannot be decoded that way ({{reason}})',
    'correct the encoding in the target or in the proxy before it, or remove Accept-Encoding from the scenario',
  ),
  EXECUTOR_TOOL_UNANSWERED: peerFailure(
    '{{address}} answered the call of a tool with something else than a message of MCP',
    'let `targets.http.base_url` be the address of a control plane whose hub has the tool, and the bearer token a personal access token of that hub',
  ),
  EXECUTOR_SOCKET_INVALID: peerFailure(
    'what {{address}} sent is not a valid WebSocket: {{reason}}',
    'correct what the target, or a proxy before it, sends in the handshake or in its frames',
  ),
  EXECUTOR_GRPC_SCHEMA_MISSING: peerFailure(
    'the schema of {{service}} is not known: {{reason}}',
    'add a line `proto: <file>` below the line GRPC, or turn on reflection in the target',
  ),
  EXECUTOR_GRPC_SCHEMA_INVALID: peerFailure(
    'the schema of {{service}} cannot be used: {{reason}}',
    'correct {{source}}; a file of the folder must have every file that it imports beside it',
  ),
  EXECUTOR_GRPC_METHOD_UNKNOWN: peerFailure('{{source}} does not have {{method}}', 'correct the line GRPC: {{hint}}'),
  EXECUTOR_GRPC_MESSAGE_INVALID: peerFailure(
    'the message is not a valid {{type}}: {{reason}}',
    'write its fields by their names in the schema or in JSON, such as `orderId`, with values of their types',
  ),
  EXECUTOR_GRPC_STREAM: peerFailure(
    'the method {{method}} {{problem}}',
    'send and receive its messages as the schema has them: {{hint}}',
  ),
  EXECUTOR_GRPC_NOT_HTTP2: peerFailure(
    '{{address}} does not speak HTTP/2, which gRPC needs ({{reason}})',
    'let {{setting}} be the port of the target for gRPC; a proxy before it must pass HTTP/2 on',
  ),
  EXECUTOR_GRPC_BROKEN: peerFailure(
    'the call of {{method}} at {{address}} has no valid end: {{reason}}',
    'check the log of the target, or of a proxy before it, for a crash; nothing was sent a second time',
  ),
  EXECUTOR_REQUEST_UNSENDABLE: peerFailure(
    'the request cannot be sent as the scenario writes it: {{reason}}',
    'correct the header lines under TRIGGER; Content-Length, Transfer-Encoding and Expect are set only by the executor',
  ),
  EXECUTOR_RUN_CANCELLED: peerFailure(
    'the run was cancelled {{when}}',
    'what the target did by then is not undone; request the run again to get a result',
  ),
  EXECUTOR_LEASE_ENDED: peerFailure(
    'the lease of the run expired before its first byte was sent; nothing was sent',
    'check why the executor lost contact with the control plane, then request the run again',
  ),
  EXECUTOR_RUN_FORGOTTEN: peerFailure(
    'the run was already started once, and its report is lost',
    'check at the target what the run did, then request it again',
  ),
  EXECUTOR_RUN_INTERRUPTED: peerFailure(
    'the executor ended during the run ({{progress}})',
    'see what was cleaned up, check at the target what the run did, then request it again',
  ),
  EXECUTOR_JOURNAL_UNWRITTEN: peerFailure(
    'the executor stopped before it could note the next request of the run in its journal',
    'check the disk of the executor and its log, then request the run again',
  ),
  EXECUTOR_SCENARIO_UNREADABLE: invalid(
    'the text of the scenario cannot be used: {{first}} (line {{line}})',
    'run `vp validate <file>` with the version of the executor, and bring executor and control plane to the same version',
  ),
  EXECUTOR_JUDGING_FAILED: peerFailure(
    'the response of {{address}} could not be judged ({{reason}})',
    'report this scenario and the response to the developers of vp: it is a bug in vp',
  ),
} as const;

export const executorErrors = {
  ...ofRuns,
  EXECUTOR_BUSY: withStatus(409, exitCode.notReady)(
    'the executor is busy with run {{run}}',
    'wait until it ends, or request the run through the control plane, which queues it',
  ),
  EXECUTOR_OUTBOX_FULL: withStatus(507)(
    'the executor holds {{count}} reports that the control plane has not accepted',
    'start the control plane again; until then no direct runs are started',
  ),
  EXECUTOR_INSTANCE_UNKNOWN: notReady(
    'the executor has not reached its control plane yet, so it does not know its instance',
    'check --control-plane and the key of the executor; its log says what is wrong',
  ),
  EXECUTOR_SCENARIO_INVALID: invalid(
    'the scenario has an error in line {{line}}: {{first}}',
    'correct it; `vp validate <file>` lists everything with excerpts',
  ),
  EXECUTOR_CA_UNREADABLE: invalid(
    'the file {{file}} does not contain a readable certificate',
    'pass a PEM file with one or more certificates',
  ),
} as const;
