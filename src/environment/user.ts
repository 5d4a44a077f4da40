/** The number of the user who runs the process; undefined where users have none (Windows). */
export const userId: number | undefined = process.getuid?.();
