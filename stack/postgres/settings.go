package postgres

import "strconv"

// logLinePrefix makes every log line start with time, process, SQLSTATE, user
// and database, so that the line behind a failure can be found; see LogEntry.
const logLinePrefix = "%m [%p] state=%e user=%u db=%d "

// settings are the server's parameters for throw-away data: nothing has to
// survive a crash, memory stays small because many servers may run at once.
func settings(major int) []string {
	all := []string{
		// Durability is for data that somebody wants back.
		"fsync=off",
		"full_page_writes=off",
		"synchronous_commit=off",
		// Migrations make publications, which warn at anything less; nobody reads
		// the WAL.
		"wal_level=logical",
		"max_wal_senders=0",
		"wal_init_zero=off",
		"wal_recycle=off",
		"max_wal_size=64MB",
		"checkpoint_timeout=1h",
		"autovacuum=off",
		"bgwriter_lru_maxpages=0",
		// Memory: small, and taken only when it is touched.
		"shared_buffers=32MB",
		"huge_pages=off",
		// In the cluster's folder, so that a killed server leaves no segment.
		"dynamic_shared_memory_type=mmap",
		"max_connections=200",
		// Room for the locks of serializable transactions is made at start; the
		// least is plenty.
		"max_pred_locks_per_transaction=10",
		"max_parallel_workers_per_gather=0",
		"max_logical_replication_workers=0",
		"jit=off",
		// Every session of a stack runs some; so it is loaded once and not by each.
		"shared_preload_libraries=plpgsql",
		// A query of a stranger must not fill the disk.
		"temp_file_limit=1GB",
		// What a client sees is the same on every machine.
		"timezone=UTC",
		"log_timezone=UTC",
		"lc_messages=C",
		"datestyle=iso, mdy",
		"intervalstyle=postgres",
		"default_text_search_config=pg_catalog.english",
		// The log goes to us, one line an entry plus its details.
		"logging_collector=off",
		"log_destination=stderr",
		"log_min_messages=warning",
		"log_min_error_statement=error",
		"log_error_verbosity=default",
		"log_checkpoints=off",
		"log_line_prefix=" + logLinePrefix,
	}
	if major >= 18 {
		// Its default is three more processes at every start.
		all = append(all, "io_method=sync")
	}
	return all
}

// allocator is the environment that makes a process keep up to 16 MiB of the
// memory that a query gave back. By default glibc hands it to the kernel as soon
// as it is more than 128 KiB and asks for it again at the next query, page by
// page: reading an array of a thousand JSON objects took four times as long.
// Other C libraries do not know the names (mallopt(3), "environment variables").
func allocator() []string {
	const kept = "16777216"
	// The second is what the first needs: what is mapped by itself is never kept.
	return []string{"MALLOC_TRIM_THRESHOLD_=" + kept, "MALLOC_MMAP_THRESHOLD_=" + kept}
}

// serverArgs is the command line of one server.
func serverArgs(b *backend, where listen) []string {
	addresses := ""
	if where == listenLoopback {
		addresses = "127.0.0.1"
	}
	args := []string{
		"-D", b.data,
		"-c", "listen_addresses=" + addresses,
		"-c", "port=" + strconv.Itoa(b.port),
		"-c", "unix_socket_directories=" + b.socket,
	}
	for _, s := range settings(b.install.major) {
		args = append(args, "-c", s)
	}
	if b.save {
		// Who is there for longer gathers dead rows and needs statistics. The last
		// setting counts.
		args = append(args, "-c", "autovacuum=on")
	}
	return args
}
