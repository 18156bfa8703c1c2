export declare function onThisMachine(ms: number, cpuMs?: () => number): number;
