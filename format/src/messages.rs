//! The functions of MPI that send, receive or wait for messages, by their numbers in traces.
//!
//! They are those of MPI 4.0 that communicate or complete communication, and those that begin and
//! end it. Functions that only describe data, groups or topologies are left out.

/// The names of the functions. A new one is added at the end, since its index is its number.
const FUNCTIONS: &[&str] = &[
    "MPI_Init",
    "MPI_Init_thread",
    "MPI_Finalize",
    "MPI_Abort",
    "MPI_Send",
    "MPI_Bsend",
    "MPI_Ssend",
    "MPI_Rsend",
    "MPI_Recv",
    "MPI_Sendrecv",
    "MPI_Sendrecv_replace",
    "MPI_Isend",
    "MPI_Ibsend",
    "MPI_Issend",
    "MPI_Irsend",
    "MPI_Irecv",
    "MPI_Isendrecv",
    "MPI_Isendrecv_replace",
    "MPI_Probe",
    "MPI_Iprobe",
    "MPI_Mprobe",
    "MPI_Improbe",
    "MPI_Mrecv",
    "MPI_Imrecv",
    "MPI_Start",
    "MPI_Startall",
    "MPI_Pready",
    "MPI_Pready_range",
    "MPI_Pready_list",
    "MPI_Parrived",
    "MPI_Wait",
    "MPI_Waitany",
    "MPI_Waitsome",
    "MPI_Waitall",
    "MPI_Test",
    "MPI_Testany",
    "MPI_Testsome",
    "MPI_Testall",
    "MPI_Cancel",
    "MPI_Request_free",
    "MPI_Buffer_detach",
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Alltoallw",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Reduce_scatter",
    "MPI_Reduce_scatter_block",
    "MPI_Scan",
    "MPI_Exscan",
    "MPI_Ibarrier",
    "MPI_Ibcast",
    "MPI_Igather",
    "MPI_Igatherv",
    "MPI_Iscatter",
    "MPI_Iscatterv",
    "MPI_Iallgather",
    "MPI_Iallgatherv",
    "MPI_Ialltoall",
    "MPI_Ialltoallv",
    "MPI_Ialltoallw",
    "MPI_Ireduce",
    "MPI_Iallreduce",
    "MPI_Ireduce_scatter",
    "MPI_Ireduce_scatter_block",
    "MPI_Iscan",
    "MPI_Iexscan",
    "MPI_Neighbor_allgather",
    "MPI_Neighbor_allgatherv",
    "MPI_Neighbor_alltoall",
    "MPI_Neighbor_alltoallv",
    "MPI_Neighbor_alltoallw",
    "MPI_Ineighbor_allgather",
    "MPI_Ineighbor_allgatherv",
    "MPI_Ineighbor_alltoall",
    "MPI_Ineighbor_alltoallv",
    "MPI_Ineighbor_alltoallw",
    "MPI_Comm_dup",
    "MPI_Comm_idup",
    "MPI_Comm_create",
    "MPI_Comm_create_group",
    "MPI_Comm_split",
    "MPI_Comm_split_type",
    "MPI_Comm_free",
    "MPI_Comm_disconnect",
    "MPI_Comm_accept",
    "MPI_Comm_connect",
    "MPI_Comm_join",
    "MPI_Comm_spawn",
    "MPI_Comm_spawn_multiple",
    "MPI_Intercomm_create",
    "MPI_Intercomm_merge",
    "MPI_Cart_create",
    "MPI_Graph_create",
    "MPI_Dist_graph_create",
    "MPI_Dist_graph_create_adjacent",
    "MPI_Put",
    "MPI_Get",
    "MPI_Accumulate",
    "MPI_Get_accumulate",
    "MPI_Fetch_and_op",
    "MPI_Compare_and_swap",
    "MPI_Rput",
    "MPI_Rget",
    "MPI_Raccumulate",
    "MPI_Rget_accumulate",
    "MPI_Win_create",
    "MPI_Win_allocate",
    "MPI_Win_allocate_shared",
    "MPI_Win_create_dynamic",
    "MPI_Win_free",
    "MPI_Win_fence",
    "MPI_Win_start",
    "MPI_Win_complete",
    "MPI_Win_post",
    "MPI_Win_wait",
    "MPI_Win_test",
    "MPI_Win_lock",
    "MPI_Win_lock_all",
    "MPI_Win_unlock",
    "MPI_Win_unlock_all",
    "MPI_Win_flush",
    "MPI_Win_flush_all",
    "MPI_Win_flush_local",
    "MPI_Win_flush_local_all",
    "MPI_Win_sync",
    "MPI_File_open",
    "MPI_File_close",
    "MPI_File_sync",
    "MPI_File_read_all",
    "MPI_File_write_all",
    "MPI_File_read_at_all",
    "MPI_File_write_at_all",
    "MPI_File_read_ordered",
    "MPI_File_write_ordered",
];

/// The suffixes of names in Fortran, longest first.
const ENDS: [&str; 4] = ["_f08ts_", "_f08_", "__", "_"];

/// Returns the number of the function of a symbol: the name in C, the same with the prefix `P`, or
/// a form of Fortran (`mpi_send_`, `mpi_send_f08_`). Not all Fortran compilers use lower case.
pub fn number(symbol: &str) -> Option<usize> {
    let name = symbol.strip_prefix(['P', 'p']).unwrap_or(symbol);
    if !name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("MPI_")) {
        return None;
    }
    if let Some(number) = FUNCTIONS.iter().position(|known| *known == name) {
        return Some(number);
    }
    let name = ENDS.iter().find_map(|end| name.strip_suffix(end))?;
    FUNCTIONS.iter().position(|known| known.eq_ignore_ascii_case(name))
}

/// Returns the function's name in C.
pub fn name(number: u64) -> Option<&'static str> {
    FUNCTIONS.get(usize::try_from(number).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_name_have_its_number() {
        let send = number("MPI_Send");
        assert_eq!(send.and_then(|number| name(number as u64)), Some("MPI_Send"));
        for form in ["PMPI_Send", "mpi_send_", "pmpi_send__", "mpi_send_f08_", "mpi_send_f08ts_"] {
            assert_eq!(number(form), send, "{form}");
        }
        assert_eq!(number("MPI_SEND_"), send);
        for other in ["MPI_Sen", "mpi_send", "MPI_Comm_rank", "XMPI_Send", "MPI", "P", "", "µPI_"]
        {
            assert_eq!(number(other), None, "{other}");
        }
    }

    #[test]
    fn every_name_stands_once() {
        for (at, function) in FUNCTIONS.iter().enumerate() {
            assert_eq!(number(function), Some(at));
        }
        assert_eq!(name(FUNCTIONS.len() as u64), None);
    }
}
