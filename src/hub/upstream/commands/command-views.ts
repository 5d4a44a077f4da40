/** The operator's commands for people who choose one, without secrets. */
import type { HubCommand } from '../../../contract/hubs/hubs-api.ts';
import type { OperatorCommand, OperatorCommands } from './operator-commands.ts';

/** Sorted by name. With `unsafe`, commands without an image run unconfined. */
export function toCommandViews(commands: OperatorCommands, unsafe: boolean): HubCommand[] {
  return [...commands]
    .map(([name, command]) => toCommandView(name, command, unsafe))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function toCommandView(
  name: string,
  { description, image, command, network }: OperatorCommand,
  unsafe: boolean,
): HubCommand {
  const [executable] = command;
  const unconfined = unsafe && executable !== undefined ? 'unconfined' : 'refused';
  return {
    name,
    description: description ?? null,
    image: image ?? null,
    // With an image, `command` contains arguments for its entry point.
    program: image === undefined ? (executable ?? null) : null,
    runs: image === undefined ? unconfined : 'container',
    reaches_network: image === undefined || network === 'bridge',
  };
}

/** For callers who do not run the machine: paths and image names are the operator's. */
export function withoutCommandDetails(commands: readonly HubCommand[]): HubCommand[] {
  return commands.map((command) => ({ ...command, image: null, program: null }));
}
