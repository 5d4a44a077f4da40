/** Networks, volumes and compose projects of the engine. */
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { ContainerEngine } from './engine.ts';

function splitLines(text: string): string[] {
  return text.split('\n').filter(Boolean);
}

export async function listNetworkNames(engine: ContainerEngine): Promise<readonly string[]> {
  return splitLines(await engine.output(['network', 'ls', '--format', '{{.Name}}'])).sort();
}

/** Compose projects that have a container, sorted. */
export async function listProjectNames(engine: ContainerEngine): Promise<readonly string[]> {
  const args = ['ps', '--all', '--format', '{{.Label "com.docker.compose.project"}}'];
  return [...new Set(splitLines(await engine.output(args)))].sort();
}

export async function listProjectVolumes(engine: ContainerEngine, project: string): Promise<readonly string[]> {
  const filter = `label=com.docker.compose.project=${project}`;
  return splitLines(await engine.output(['volume', 'ls', '--filter', filter, '--format', '{{.Name}}'])).sort();
}

/** Creates a volume that compose treats as `volume` of `project`, unless it exists. Returns its name at the engine. */
export async function createProjectVolume(engine: ContainerEngine, project: string, volume: string): Promise<string> {
  const labels = [`com.docker.compose.project=${project}`, `com.docker.compose.volume=${volume}`];
  const name = `${project}_${volume}`;
  // podman refuses a volume that exists, unlike docker.
  const ignoreArgs = engine.info.program === 'podman' ? ['--ignore'] : [];
  await engine.output(['volume', 'create', ...ignoreArgs, ...labels.flatMap((label) => ['--label', label]), name]);
  return name;
}

/** The id of a network; undefined if it does not exist. A network that is created again gets another id. */
export async function findNetworkId(engine: ContainerEngine, name: string): Promise<string | undefined> {
  const { exitCode, stdout } = await engine.run(['network', 'inspect', '--format', '{{.Id}}', name]);
  return exitCode === 0 ? stdout.trim() || undefined : undefined;
}

const ContainerNetworks = Type.Record(Type.String(), Type.Object({ NetworkID: Type.String() }));

/** Ids of a container's networks by their names. A stopped container keeps those that it had. */
export async function readNetworkIds(engine: ContainerEngine, container: string): Promise<ReadonlyMap<string, string>> {
  const text = await engine.output(['inspect', '--format', '{{json .NetworkSettings.Networks}}', container]);
  const value = parseNetworks(text);
  return new Map(Object.entries(value).map(([name, { NetworkID }]) => [name, NetworkID]));
}

function parseNetworks(text: string): Static<typeof ContainerNetworks> {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(ContainerNetworks, value) ? value : {};
  } catch {
    return {};
  }
}
