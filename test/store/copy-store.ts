import { openSnapshot } from '../../src/store/engine.ts';

/** Copies one store into the new file `target` as a backup does, also while it is in use; returns the size in bytes. */
export async function copyStore(
  source: string,
  target: string,
  onProgress: (share: number) => void = () => {},
): Promise<number> {
  const snapshot = openSnapshot(source);
  try {
    return await snapshot.copyTo(target, (_phase, share) => onProgress(share));
  } finally {
    snapshot.close();
  }
}
