import { readFileSync } from 'node:fs';

/** Linux has this value on every current machine. */
const TICKS_PER_SECOND = 100;

/** The CPU time of a process in milliseconds, in user code and in the kernel. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program's name, in parentheses, may contain any characters.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [fields[11], fields[12]].map(Number);
  return (((user ?? NaN) + (system ?? NaN)) * 1_000) / TICKS_PER_SECOND;
}

/** The resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}
