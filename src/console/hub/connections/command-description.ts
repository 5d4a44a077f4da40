/** Describes the commands that the operator configured. */
import type { HubCommand } from '../../../contract/hubs/hubs-api.ts';

/** The image and program are known to owners of the control plane only. */
export function describeCommand({ image, program, runs, reaches_network: reaches }: HubCommand): string {
  const sources = [image === null ? undefined : `image ${image}`, program === null ? undefined : `program ${program}`];
  const isolation = {
    container: reaches ? 'in a container that reaches the network' : 'in a container without a network',
    unconfined: 'as the user of the control plane, unconfined',
    refused: 'cannot run: it has no image, and the control plane was started without --unsafe-stdio',
  }[runs];
  const knownSources = sources.filter((source) => source !== undefined);
  return knownSources.length === 0 && runs !== 'refused'
    ? `runs ${isolation}`
    : [...knownSources, isolation].join(', ');
}

export const sampleCommandsFile = `{
  "commands": {
    "handbook": {
      "description": "Reads our handbook.",
      "image": "mcp/handbook:1",
      "command": ["serve"]
    }
  }
}`;
