/** Commands of the operator as people see them who choose one: nothing that may be secret of them. */
import type { HubCommand } from '../../contract/hub-api.ts';
import type { OperatorCommand, OperatorCommands } from './operator-commands.ts';

/** By name. `unsafe`: those without an image run as they are. */
export function shownCommands(commands: OperatorCommands, unsafe: boolean): HubCommand[] {
  return [...commands]
    .map(([name, command]) => shown(name, command, unsafe))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function shown(name: string, { description, image, command, network }: OperatorCommand, unsafe: boolean): HubCommand {
  const [program] = command;
  const unconfined = unsafe && program !== undefined ? 'unconfined' : 'refused';
  return {
    name,
    description: description ?? null,
    image: image ?? null,
    // An image has a program of its own: what stands here are words for it.
    program: image === undefined ? (program ?? null) : null,
    runs: image === undefined ? unconfined : 'container',
    reaches_network: image === undefined || network === 'bridge',
  };
}

/** The same for whoever does not run the machine: what is on it, and where images come from, is its operator's matter. */
export function withoutPlaces(commands: readonly HubCommand[]): HubCommand[] {
  return commands.map((command) => ({ ...command, image: null, program: null }));
}
