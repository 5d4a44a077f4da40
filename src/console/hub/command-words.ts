/** What people read of the operator's commands. */
import type { HubCommand } from '../../contract/hub-api.ts';

/** What runs, where that is told, and how it is confined. */
export function commandFacts({ image, program, runs, reaches_network: reaches }: HubCommand): string {
  const what = [image === null ? undefined : `image ${image}`, program === null ? undefined : `program ${program}`];
  const how = {
    container: reaches ? 'in a container that reaches the network' : 'in a container without a network',
    unconfined: 'as the user of the control plane, unconfined',
    refused: 'cannot run: it names no image, and the control plane was not started with --unsafe-stdio',
  }[runs];
  const known = what.filter((one) => one !== undefined);
  return known.length === 0 && runs !== 'refused' ? `runs ${how}` : [...known, how].join(', ');
}

/** The operator's file with one command in it. */
export const commandSample = `{
  "commands": {
    "handbook": {
      "description": "Reads our handbook.",
      "image": "mcp/handbook:1",
      "command": ["serve"]
    }
  }
}`;
