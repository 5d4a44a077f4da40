/** Errors of the router between agents and executors. */
import { exitCode } from './exit-code.ts';
import { invalid, localFailure, peerFailure, withStatus } from './row.ts';

export const routerErrors = {
  ROUTER_TOKEN_UNRECOGNIZED: withStatus(401)(
    'unrecognized router token: {{problem}}',
    'ask the operator to connect the folder with `vp connect --instance <id>`, which writes its token into .mcp.json, and start the agent again; `vp executor` registers an instance with the router of its machine',
  ),
  ROUTER_EXECUTOR_AWAY: peerFailure(
    'the executor of instance {{instance}} does not answer at {{url}}: {{problem}}',
    'ask the operator to start it with `vp executor --key-file <file> --product-dir <folder>`, then call the tool again; nothing was done',
  ),
  ROUTER_EXECUTOR_STOPPED: peerFailure(
    'the executor of instance {{instance}} was stopped',
    'ask the operator to start it with `vp executor --key-file <file> --product-dir <folder>`, then call the tool again; nothing was done',
  ),
  ROUTER_ANSWER_LOST: peerFailure(
    'the connection to the executor of instance {{instance}} at {{url}} was lost: {{problem}}',
    'the call may still have been carried out: check the list of runs or of scenarios before calling again; the log of the executor says what happened',
  ),
  ROUTER_EXPOSED: invalid(
    'tokens of agents would cross the network in the clear at {{address}}',
    'omit --host, or name an address of this machine; --allow-insecure is meant for a container network, where only its containers can reach this',
  ),
  ROUTER_PORT_HELD: localFailure(
    'another process holds {{address}}, so agents are answered by it: with `unrecognized router token`, or not at all',
    'stop that process, or choose another port with --port and connect the folders again with `vp connect --router <url>`',
  ),
  ROUTER_RUNS_ALREADY: withStatus(409, exitCode.broken)(
    'a router already runs at {{address}}',
    'no action is needed: one router serves all instances of a machine',
  ),
} as const;
