/** The operating system's error code, such as EACCES; undefined for other errors. */
export function getSystemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}
