#!/usr/bin/env node
// Stands here, and not in `dist`: npm links a command only where its file exists before the build.
import '../dist/cli.cjs';
