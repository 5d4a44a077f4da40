/** Networks, volumes and compose projects of the engine. */
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
  await engine.output(['volume', 'create', ...labels.flatMap((label) => ['--label', label]), name]);
  return name;
}
